export { BUILDER_VERSION } from './builder-version.js';
export { buildContext, proposeRequested } from './build-context.js';
export type {
  BuildInput,
  BuildResult,
  BuiltMessage,
  CompactionProposal,
  Contributor,
  Omitted,
  OverHardCapBuild,
  ReadyBuild,
  ViewSpec,
  WaitBuild,
} from './build-result.js';
export { compareRequests, type RequestDifference } from './common-prefix.js';
export { compareBuilds, DIFFERENCE_CAUSES, type ComparedBuild, type DifferenceCause } from './compare-builds.js';
export { entryChars, type EventBody } from './measure/entry-chars.js';
export { approxTokens, estimateTokens } from './measure/estimate-tokens.js';
export { KnownForms } from './measure/measured-item.js';
export { STANDARD_WEIGHTS } from './measure/part-chars.js';
export { importTranscript, type ImportedEvent, type ImportOptions, type ImportStep } from './import-transcript.js';
export {
  BUILD_EVENTS,
  COMPACTION_EVENTS,
  neededEvents,
  needsAllCompactions,
  type NeededEvents,
  type NextBuild,
} from './needed-events.js';
export * from './neutral.js';
export * from './policy/index.js';
export * from './shape/index.js';
export * from './summary/index.js';
export * from './transcript/index.js';
export { checkCompactionRange, type CompactionRange, type RangeFault } from './view/check-compaction-range.js';
export {
  compactionState,
  type CompactionState,
  type LiveCompaction,
  type ModelFailures,
} from './view/compaction-state.js';
export {
  ENTRY_STATES,
  type Entry,
  type EntryState,
  type ShapedMessage,
  type ShownItem,
  type ShownState,
  type Turn,
} from './view/entry.js';
export { KeptEvents, type KeptFrom } from './view/kept-events.js';
export { nextMemoryEntry } from './view/next-memory-entry.js';
export { isOutlineEnough, LEAST_OUTLINED_CHARS, outlinesToRead } from './view/outline.js';
export { placeholderArgument } from './view/placeholder-argument.js';
export { lastBuildOf } from './view/read-view.js';
export { isInView, viewCutoff, viewKey } from './view/view-key.js';
