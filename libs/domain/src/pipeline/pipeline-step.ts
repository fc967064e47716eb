import type { Json, JsonObject } from '../json.js';
import type { RetryPolicy } from './retry-policy.js';
import type { Template } from './template.js';

/** Every kind of step that documents know. Which of them a build executes is the caller's fact. */
export const STEP_KINDS = [
  'agent',
  'tool',
  'transform',
  'for_each',
  'repeat',
  'pipeline',
  'approval',
  'wait_for',
  'sleep',
] as const;

export type StepKind = (typeof STEP_KINDS)[number];

/** A step: what every kind has, and its own part under `kind`. */
export type PipelineStep = StepBase & StepWork;

export type StepBase = {
  readonly id: string;
  readonly dependsOn: readonly string[];
  /** `all`: every dependency succeeded. `any`: at least one succeeded and none is outstanding. */
  readonly join: 'all' | 'any';
  /** An expression without `${}`; null runs always. */
  readonly when: string | null;
  /** What the step itself names; `effectiveStep` adds the defaults. */
  readonly retry: Partial<RetryPolicy> | null;
  readonly timeoutMs: number | null;
  /** Default `fail`. */
  readonly onError: OnError;
  /** The step level of the context policy, as written. */
  readonly context: JsonObject | null;
  readonly model: string | null;
  /** Text handed to an agent beside its task; null: none. */
  readonly documents: Template;
};

export type OnError =
  { readonly action: 'fail' } | { readonly action: 'continue' } | { readonly action: 'goto'; readonly stepId: string };

export type StepWork =
  | AgentStepWork
  | ToolStepWork
  | TransformStepWork
  | ForEachStepWork
  | RepeatStepWork
  | ChildPipelineStepWork
  | ApprovalStepWork
  | WaitForStepWork
  | SleepStepWork;

export type AgentStepWork = { readonly kind: 'agent'; readonly agent: string; readonly task: StepTask };

/** Text, or parts whose strings are templates. */
export type StepTask = string | readonly TaskPart[];

export type TaskPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string | null; readonly source: PartSource }
  | {
      readonly type: 'document';
      readonly name: string | null;
      readonly mediaType: string | null;
      readonly source: PartSource;
    };

/** `data` is base64. */
export type PartSource =
  { readonly from: 'data'; readonly data: string } | { readonly from: 'url'; readonly url: string };

export type ToolStepWork = { readonly kind: 'tool'; readonly tool: string; readonly args: Template };

/** The rendered template is the output. */
export type TransformStepWork = { readonly kind: 'transform'; readonly transform: Template };

export type ForEachStepWork = {
  readonly kind: 'for_each';
  /** Renders to a list. */
  readonly items: Template;
  readonly body: StepBody;
  /** `DEFAULT_MAX_PARALLEL` where the document says nothing. */
  readonly maxParallel: number;
  /** Default `fail`. */
  readonly onItemFailure: 'fail' | 'continue' | 'collect';
};

export type RepeatStepWork = {
  readonly kind: 'repeat';
  readonly body: StepBody;
  /** An expression over `last` and what the step sees; the loop ends when it is true. */
  readonly until: string;
  readonly maxIterations: number;
};

/** `output` null: the output of the body's last step in document order. */
export type StepBody = { readonly steps: readonly PipelineStep[]; readonly output: Template };

export type ChildPipelineStepWork = {
  readonly kind: 'pipeline';
  readonly pipeline: string;
  /** null: what `live` points to when the run starts. */
  readonly version: number | null;
  readonly inputs: Template;
  readonly streamId: string | null;
};

export type ApprovalStepWork = {
  readonly kind: 'approval';
  readonly prompt: string;
  readonly form: JsonObject | null;
  /** null: waits as long as the run may. */
  readonly approvalTimeoutMs: number | null;
  /** Default `deny`. */
  readonly onTimeout: 'deny' | 'approve' | 'fail';
};

export type WaitForStepWork = {
  readonly kind: 'wait_for';
  readonly signal: string;
  readonly key: string;
  readonly waitTimeoutMs: number | null;
};

export type SleepStepWork = { readonly kind: 'sleep'; readonly sleep: Sleep };

export type Sleep =
  | { readonly type: 'duration'; readonly durationMs: number }
  /** RFC 3339 with an offset. */
  | { readonly type: 'until'; readonly at: string }
  /** Renders to a duration or a time. */
  | { readonly type: 'template'; readonly template: string };

/** The value of a step that has ended, as expressions see it. `output` is null unless it succeeded. */
export type StepOutcome = { readonly status: string; readonly output: Json };
