import type { AssistantMessage, Usage } from '#libs/domain';
import type { ModelFailureClass, ModelOutcome } from '#libs/engine';

export type ModelFailure = Extract<ModelOutcome, { kind: 'failure' }>;

type Received = {
  retryAfterMs?: number | null;
  usage?: Usage | null;
  costUsd?: number | null;
  partial?: AssistantMessage | null;
};

/** A classified failure; `received` is what came before it. `detail` must hold neither keys nor prompts. */
export function modelFailure(failureClass: ModelFailureClass, detail: string, received: Received = {}): ModelFailure {
  return {
    kind: 'failure',
    class: failureClass,
    detail,
    retryAfterMs: received.retryAfterMs ?? null,
    usage: received.usage ?? null,
    costUsd: received.costUsd ?? null,
    partial: received.partial ?? null,
  };
}
