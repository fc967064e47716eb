import type { Json, JsonObject } from '../json.js';
import type { PipelineStep } from './pipeline-step.js';
import type { RetryPolicy } from './retry-policy.js';
import type { Template } from './template.js';
import type { ToolDefinition } from './tool-definition.js';

export type { RetryPolicy } from './retry-policy.js';

/**
 * A pipeline as the code reads it: camelCase, durations in milliseconds, everything that may be absent present as null.
 * The stored form of a version is the document; `parsePipeline` makes this of it on each read.
 * A `Template` is JSON in which strings may hold `${…}`; `renderTemplate` expands it.
 */
export type PipelineDefinition = {
  readonly name: string;
  readonly description: string | null;
  readonly inputs: ReadonlyMap<string, InputDeclaration>;
  readonly defaults: PipelineDefaults;
  /** The pipeline level of the context policy, as written; `libs/context` reads it. */
  readonly context: JsonObject | null;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** In document order; bodies of `for_each` and `repeat` are inside their step. */
  readonly steps: readonly PipelineStep[];
  readonly output: Template | null;
  readonly onBusy: OnBusy;
  readonly spendLimit: SpendLimit | null;
  readonly concurrency: ConcurrencyRule | null;
  /** Of the whole run; `DEFAULT_RUN_TIMEOUT_MS` where the document says nothing. */
  readonly timeoutMs: number;
  readonly tags: readonly string[];
};

export type OnBusy = 'enqueue' | 'reject' | 'interrupt' | 'parallel';

export type InputType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';

export type InputDeclaration = {
  readonly type: InputType;
  readonly description: string | null;
  readonly required: boolean;
  /** `undefined`: none. */
  readonly default: Json | undefined;
  readonly enum: readonly Json[] | null;
  /** Code points of a string. */
  readonly minLength: number | null;
  readonly maxLength: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Elements of an array. */
  readonly minItems: number | null;
  readonly maxItems: number | null;
};

/** What the document's `defaults` name; null where they say nothing (`effectiveStep` fills in). */
export type PipelineDefaults = {
  readonly model: string | null;
  readonly timeoutMs: number | null;
  readonly retry: Partial<RetryPolicy> | null;
};

export type AgentDefinition = {
  readonly name: string;
  readonly model: string | null;
  readonly fallbackModels: readonly string[];
  /** A string template over `inputs` and `run`. */
  readonly systemPrompt: string | null;
  /** Names: of the document's tools, or of builtin tools, which need no declaration. */
  readonly tools: readonly string[];
  readonly outputSchema: JsonObject | null;
  /** Default 100. */
  readonly maxTurns: number;
  /** `answer` (default): one last call without tools. */
  readonly onMaxTurns: 'answer' | 'fail';
  /** null: unlimited, but 10 where the context policy has a `budget`. */
  readonly maxToolCallsPerTurn: number | null;
  /** The agent level of the context policy, as written. */
  readonly context: JsonObject | null;
  readonly sampling: Sampling;
};

/** Passed through to the provider; null where the document says nothing. */
export type Sampling = {
  readonly temperature: number | null;
  readonly maxOutputTokens: number | null;
  readonly stop: readonly string[] | null;
  readonly reasoning: Json;
  readonly extra: JsonObject | null;
};

/** Each bound null: none. */
export type SpendLimit = {
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly toolCalls: number | null;
  readonly onExceeded: 'pause' | 'fail';
};

/** At most `limit` runs of the pipeline with the same rendered `key` at once. */
export type ConcurrencyRule = { readonly key: string; readonly limit: number };
