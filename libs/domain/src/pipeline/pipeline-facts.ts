import type { JsonObject } from '../json.js';
import type { ExpressionLanguage } from './expression-language.js';
import type { PolicyFault } from './pipeline-fault.js';
import type { StepKind } from './pipeline-step.js';
import type { ToolKind } from './tool-definition.js';

export type ContextLevel = 'step' | 'agent' | 'pipeline';

/** Parts of a definition that a build may not honour yet; `parsePipeline` says so instead of ignoring them. */
export const PIPELINE_FEATURES = [
  'on_error',
  'on_busy',
  'spend_limit',
  'concurrency',
  'tool_approval',
  'fallback_models',
  'output_schema',
  'task_parts',
] as const;

export type PipelineFeature = (typeof PIPELINE_FEATURES)[number];

/** What the check of a document needs to know about the installation. `null` means not known: nothing is said about it. */
export type PipelineFacts = {
  readonly expressions: ExpressionLanguage;
  readonly executableStepKinds: readonly StepKind[];
  readonly executableToolKinds: readonly ToolKind[];
  /** Features of this list yield a fault where ignoring them would change what happens, else a note. */
  readonly missingFeatures: readonly PipelineFeature[];
  readonly builtinTools: readonly string[];
  /** Names of the operator's model connections; `builtin`, `replay` and `scripted` always exist. */
  readonly connections: readonly string[] | null;
  /** The operator's default model, or null: every agent must then get one in the document. */
  readonly defaultModel: string | null;
  readonly plugins: readonly string[] | null;
  readonly mcpServers: readonly string[] | null;
  /** What keeps a JSON Schema from being used, or null. Absent: schemas are taken as they are. */
  checkJsonSchema?(schema: JsonObject): string | null;
  /** Injected, because the policy belongs to `libs/context`, which this library must not import. */
  checkContextPolicy(value: unknown, level: ContextLevel): readonly PolicyFault[];
};
