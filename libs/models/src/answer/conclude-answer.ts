import type { ModelFacts } from '#libs/context';
import type { ModelOutcome } from '#libs/engine';
import { costUsd } from '../outcome/cost.js';
import { modelFailure } from '../outcome/model-failure.js';
import type { ReceivedAnswer } from './received-answer.js';

type Context = { provider: string; facts: ModelFacts; wireHash: string | null };

/** What an answer that ended without an error is: an answer, also one cut by length, or one that cannot be used. */
export function concludeAnswer(answer: ReceivedAnswer, { provider, facts, wireHash }: Context): ModelOutcome {
  const { usage, finishReason, message } = answer;
  const cost = costUsd(usage, facts);
  const received = { usage, costUsd: cost, partial: answer.isEmpty ? null : message };
  if (answer.refusal !== null || finishReason === 'content_filter') {
    return modelFailure('refused', `${provider}: the model or its content filter refused to answer.`, received);
  }
  if (finishReason === null)
    return modelFailure('network', `${provider}: the answer stopped before its end.`, received);
  if (!answer.hasAnswer && finishReason !== 'length') {
    return modelFailure('empty_answer', `${provider}: the answer has neither text nor tool calls.`, received);
  }
  return { kind: 'answer', message, finishReason, usage, costUsd: cost, wireHash, providerPayload: answer.payload };
}
