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
export { importTranscript, type ImportedEvent, type ImportOptions, type ImportStep } from './import-transcript.js';
export * from './neutral.js';
export * from './policy/index.js';
export * from './shape/index.js';
export * from './summary/index.js';
export * from './transcript/index.js';
export { ENTRY_STATES, type EntryState, type Entry, type ShapedMessage, type ShownItem, type ShownState, type Turn } from './view/entry.js';
