import { setTimeout } from 'node:timers/promises';
import { AppError } from '#libs/domain';
import type { EngineDeps } from './engine-deps.js';
import type { LimitAnswer, LimitAsk, Reservation } from './ports/model-limiter.port.js';
import type { ModelCall, ModelOutcome } from './ports/model.port.js';

type LimiterDeps = Pick<EngineDeps, 'models' | 'limiter' | 'logger' | 'settings'>;

/** Null: the model has no bounds that anybody keeps. */
export type ModelReservation = Reservation | null;

export type ReserveResult = { kind: 'granted'; reservation: ModelReservation } | { kind: 'wait'; waitMs: number };

/** With the queue away nobody knows what others use: whoever is bounded waits for its return. */
const AWAY_WAIT_MS = 2_000;
/** Beyond the longest call, so that a place is never given twice. */
const HOLD_MARGIN_MS = 30_000;
/** A provider that names no time gets this long, as a limited step waits. */
const CLOSED_MS = 5_000;

/** Asks for one call's share of the model's allowance. `tokens`: the estimate of what it will use, in and out. */
export async function reserveModel(
  deps: LimiterDeps,
  asked: { model: string; ticket: string; tokens: number },
): Promise<ReserveResult> {
  const limits = deps.models.limits(asked.model);
  if (limits.length === 0) return { kind: 'granted', reservation: null };
  const ask: LimitAsk = {
    ticket: asked.ticket,
    limits,
    tokens: Math.max(0, Math.ceil(asked.tokens)),
    holdMs: deps.settings.modelTotalTimeoutMs + HOLD_MARGIN_MS,
  };
  try {
    return await deps.limiter.reserve(ask);
  } catch (error) {
    return withoutLimiter(deps, ask, error);
  }
}

function withoutLimiter(deps: LimiterDeps, { limits }: LimitAsk, error: unknown): LimitAnswer | ReserveResult {
  if (!(error instanceof AppError) || error.code !== 'queue_unavailable') throw error;
  const isBounded = limits.some(
    (limit) => limit.requestsPerMinute !== null || limit.tokensPerMinute !== null || limit.concurrentRequests !== null,
  );
  deps.logger.warn({ error: error.message, waits: isBounded }, 'the limiter of model calls does not answer');
  return isBounded ? { kind: 'wait', waitMs: AWAY_WAIT_MS } : { kind: 'granted', reservation: null };
}

/** Whatever came of the call: its place is free, its tokens are the real ones, and a refusal holds for everybody. */
export async function settleModel(
  deps: LimiterDeps,
  reservation: ModelReservation,
  outcome: ModelOutcome,
): Promise<void> {
  if (reservation === null) return;
  try {
    await deps.limiter.settle(reservation, usedTokens(outcome));
    // The last bucket is the model's own: others of its connection may still be served.
    const own = reservation.limits.at(-1);
    if (own !== undefined && outcome.kind === 'failure' && outcome.class === 'rate_limited')
      await deps.limiter.close([own.key], outcome.retryAfterMs ?? CLOSED_MS);
  } catch (error) {
    // The allowance heals by itself within a minute; what the call brought must not be lost over it.
    deps.logger.warn({ error: String(error) }, 'a model call could not be settled with its limiter');
  }
}

/** The call was not made after all. */
export async function returnModel(deps: LimiterDeps, reservation: ModelReservation): Promise<void> {
  if (reservation === null) return;
  try {
    await deps.limiter.settle(reservation, 0);
  } catch (error) {
    deps.logger.warn({ error: String(error) }, 'a reserved model call could not be given back to its limiter');
  }
}

/** How long a call that is no step's may keep its place while it waits. */
const PATIENCE_MS = 60_000;
const LONGEST_SLEEP_MS = 5_000;

/** A call of a compaction: its job has a worker of its own, so it waits for its share where it is. */
export async function callWithinLimits(
  deps: LimiterDeps,
  asked: { ticket: string; inputTokens: number },
  call: ModelCall,
): Promise<ModelOutcome> {
  const tokens = estimatedTokens(asked.inputTokens, call.settings.maxOutputTokens);
  for (let waitedMs = 0; ;) {
    const reserved = await reserveModel(deps, { model: call.model, ticket: asked.ticket, tokens });
    if (reserved.kind === 'granted') {
      const outcome = await deps.models.call(call);
      await settleModel(deps, reserved.reservation, outcome);
      return outcome;
    }
    if (call.signal.aborted) return notCalled('aborted', 'The call was cancelled.', null);
    if (waitedMs >= PATIENCE_MS)
      return notCalled('rate_limited', `the allowance of ${call.model} is used up`, reserved.waitMs);
    const sleepMs = Math.min(reserved.waitMs, LONGEST_SLEEP_MS);
    await setTimeout(sleepMs, undefined, { signal: call.signal }).catch(() => undefined);
    waitedMs += sleepMs;
  }
}

function notCalled(
  failureClass: 'aborted' | 'rate_limited',
  detail: string,
  retryAfterMs: number | null,
): ModelOutcome {
  const nothing = { usage: null, costUsd: null, partial: null };
  return { kind: 'failure', class: failureClass, detail, retryAfterMs, ...nothing };
}

function usedTokens({ usage, ...outcome }: ModelOutcome): number | null {
  if (usage !== null) return usage.input_tokens + usage.output_tokens;
  // A refused request uses none; of a broken one nobody knows.
  return outcome.kind === 'failure' && outcome.class === 'rate_limited' ? 0 : null;
}

/** What an answer is thought to have where nobody bounds it. */
const USUAL_ANSWER_TOKENS = 1_000;

export const estimatedTokens = (inputTokens: number, maxOutputTokens: number | null): number =>
  inputTokens + Math.min(maxOutputTokens ?? USUAL_ANSWER_TOKENS, USUAL_ANSWER_TOKENS * 4);
