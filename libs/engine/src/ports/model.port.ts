import type { CacheBreakpoint, ModelFacts, NeutralRequest } from '#libs/context';
import type { AssistantMessage, FinishReason, Json, JsonObject, Usage } from '#libs/domain';
import type { ModelLimit } from './model-limiter.port.js';

export type ModelCallSettings = {
  temperature: number | null;
  maxOutputTokens: number | null;
  stop: string[];
  /** As the document has it; the provider reads it. */
  reasoning: Json;
  extra: JsonObject;
  /** JSON Schema the answer must fit, or null. */
  outputSchema: JsonObject | null;
  toolChoice: 'auto' | 'none';
};

/** Where a call stands; recordings answer by it (never by content). */
export type CallPosition = {
  projectId: string;
  streamId: string;
  runId: string;
  stepId: string;
  item: number | null;
  callNo: number;
  try: number;
};

export type ModelCall = {
  /** `connection:model`. */
  model: string;
  request: NeutralRequest;
  cacheBreakpoints: readonly CacheBreakpoint[];
  /** Stable per view, for providers with a cache key. */
  cacheKey: string;
  settings: ModelCallSettings;
  position: CallPosition;
  signal: AbortSignal;
  idleTimeoutMs: number;
  totalTimeoutMs: number;
  /** Called with text as it comes, when somebody listens. */
  onDelta: ((text: string) => void) | null;
};

export type ModelFailureClass =
  | 'rate_limited'
  | 'overloaded'
  | 'server_error'
  | 'network'
  | 'timeout_idle'
  | 'timeout_total'
  | 'context_overflow'
  | 'invalid_request'
  | 'authentication'
  | 'refused'
  | 'empty_answer'
  | 'recorded_failure'
  | 'aborted';

/** What came back: an answer, or a classified failure with what had been received before it. */
export type ModelOutcome =
  | {
      kind: 'answer';
      message: AssistantMessage;
      finishReason: FinishReason;
      usage: Usage | null;
      costUsd: number | null;
      /** SHA-256 (hex) of the HTTP body as sent; null where there is none. */
      wireHash: string | null;
      providerPayload: Json;
    }
  | {
      kind: 'failure';
      class: ModelFailureClass;
      detail: string;
      retryAfterMs: number | null;
      usage: Usage | null;
      costUsd: number | null;
      partial: AssistantMessage | null;
    };

/** What a model is at one call: a recording may name another from call to call, and it ends. */
export type ModelAt =
  | { kind: 'call'; facts: ModelFacts }
  /** The recorded session has no such call; its run ended like this. */
  | { kind: 'ended'; end: 'succeeded' | 'cancelled' | 'failed' }
  | { kind: 'unknown'; detail: string };

export interface Models {
  /** Facts of `connection:model`, or what is wrong with the name and what would be right. */
  facts(model: string): { ok: true; facts: ModelFacts } | { ok: false; detail: string };
  /** The buckets that a call takes its share from, its connection's first, the model's own last; none for models without a server. */
  limits(model: string): readonly ModelLimit[];
  /** Asked before each call, so that nothing is recorded of a call that is not made. */
  at(model: string, position: CallPosition): Promise<ModelAt>;
  /** Never throws for a provider's fault. */
  call(call: ModelCall): Promise<ModelOutcome>;
}
