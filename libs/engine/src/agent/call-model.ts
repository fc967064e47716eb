import { buildContext, type BuildResult, type ReadyBuild } from '#libs/context';
import type { FailureKind, NewEvent, StoredEventOf } from '#libs/domain';
import { stopReasonOf } from '../claim/held-steps.js';
import { contextHash } from '../context-hash.js';
import type { ModelFailureClass, ModelOutcome } from '../ports/model.port.js';
import { estimatedTokens, reserveModel, returnModel, settleModel, type ReserveResult } from '../reserve-model.js';
import { failedStep, rateLimitedStep, stepTimedOut, type StepOutcome } from '../run-step/step-outcome.js';
import type { AgentContext } from './agent-context.js';
import { positionOf } from './call-position.js';
import type { CallModel } from './model-at-call.js';
import { failOverHardCap } from './over-hard-cap.js';
import { settleWait, requestProposed } from './prepare-context.js';
import { deltaPublisher } from './publish-deltas.js';

export type CallRequest = {
  callNo: number;
  try: number;
  toolChoice: 'auto' | 'none';
  model: CallModel;
  /** The open call of a crash, sent again as recorded. */
  recorded?: StoredEventOf<'LlmCallStarted'>;
};

/** Builds the context, records the call, makes it and records what came of it. Null: the loop goes on. */
export async function callModel(context: AgentContext, request: CallRequest): Promise<StepOutcome | null> {
  const before = performance.now();
  const build = await buildFor(context, request, 'managed');
  const buildMs = performance.now() - before;
  // Others look at the log for what this build was made of.
  if (build.kind !== 'ready') {
    await context.flush();
    if (context.conversation.isAstray) return null;
  }
  if (build.kind === 'wait') return settleWait(context, build);
  if (build.kind === 'over_hard_cap') return failOverHardCap(context, request, build);
  const { deps } = context.execution;
  // Before anything is recorded: a call that must wait for its share leaves no trace in the conversation.
  const reserved = await reserve(context, request, build);
  if (reserved.kind === 'wait') return mustWait(request, reserved.waitMs);
  if (request.recorded === undefined) {
    const recorded = await recordStart(context, request, build, buildMs);
    if (recorded !== 'recorded') await returnModel(deps, reserved.reservation);
    // Somebody wrote since the build: look again.
    if (recorded === 'conflict') return null;
    if (recorded === 'fenced') return { kind: 'fenced_out' };
    await requestProposed(context, build);
  } else if (contextHash(build) !== request.recorded.data.context_hash) {
    deps.logger.warn(
      { ...context.logFields, call_no: request.callNo },
      'the context of an interrupted call rebuilds to another hash; it is sent as built now',
    );
  }
  const outcome = await call(context, request, build);
  const [ended] = await Promise.all([
    recordOutcome(context, request, outcome),
    settleModel(deps, reserved.reservation, outcome),
  ]);
  return ended;
}

function reserve({ execution, plan }: AgentContext, request: CallRequest, build: ReadyBuild): Promise<ReserveResult> {
  return reserveModel(execution.deps, {
    model: request.model.name,
    ticket: execution.held.stepRunId,
    tokens: estimatedTokens(build.tokens, plan.settings.maxOutputTokens),
  });
}

function mustWait({ model }: CallRequest, waitMs: number): StepOutcome {
  return rateLimitedStep(model.name, `the allowance of ${model.name} is used up; the step waits for its share`, waitMs);
}

async function buildFor(
  context: AgentContext,
  request: CallRequest,
  purpose: 'managed' | 'no_wait',
): Promise<BuildResult> {
  const { plan, begun, conversation } = context;
  const { manifest } = request.model;
  const next = { view: begun.view, policyHash: plan.policyHash, model: manifest.model };
  const { events, known } = await conversation.eventsFor(next, () => context.flush(), request.recorded?.data.upto_seq);
  return buildContext({
    events,
    known,
    view: begun.view,
    manifest,
    policyHash: plan.policyHash,
    memory: await context.memory(),
    uptoSeq: request.recorded?.data.upto_seq ?? conversation.version,
    runActive: true,
    purpose,
  });
}

async function recordStart(
  context: AgentContext,
  request: CallRequest,
  build: ReadyBuild,
  buildMs: number,
): Promise<'recorded' | 'conflict' | 'fenced'> {
  const { plan, conversation } = context;
  const event = context.event('LlmCallStarted', [request.callNo, request.try], {
    call_no: request.callNo,
    try: request.try,
    model: request.model.facts.id,
    message_count: build.messages.length,
    approx_context_chars: build.chars,
    approx_context_tokens: build.tokens,
    upto_seq: conversation.version,
    policy_hash: plan.policyHash,
    context_hash: contextHash(build),
    manifest: request.model.manifestHash,
    frontier: build.frontier,
    report: build.report,
    tool_choice: request.toolChoice,
    loop: conversation.loop.snapshot(),
    build_ms: Math.round(buildMs * 10) / 10,
  });
  const result = await context.append([event], { expectedVersion: conversation.version });
  switch (result.status) {
    case 'appended':
      return 'recorded';
    case 'fenced_out':
      return 'fenced';
    case 'version_conflict':
    case 'id_conflict':
      return 'conflict';
  }
}

async function call(context: AgentContext, request: CallRequest, build: ReadyBuild): Promise<ModelOutcome> {
  const { plan, execution, begun } = context;
  const { deps, held } = execution;
  const deltas = await deltaPublisher(deps, positionOf(context, request));
  const outcome = await deps.models.call({
    model: request.model.name,
    request: build.request,
    cacheBreakpoints: build.cacheBreakpoints,
    cacheKey: begun.subStream,
    settings: { ...plan.settings, toolChoice: request.toolChoice },
    position: positionOf(context, request),
    signal: held.signal,
    idleTimeoutMs: deps.settings.modelIdleTimeoutMs,
    totalTimeoutMs: deps.settings.modelTotalTimeoutMs,
    onDelta: deltas?.onDelta ?? null,
  });
  // What a client was shown comes before the event that the call has ended.
  await deltas?.end();
  return outcome;
}

async function recordOutcome(
  context: AgentContext,
  request: CallRequest,
  outcome: ModelOutcome,
): Promise<StepOutcome | null> {
  if (outcome.kind === 'answer') return recordAnswer(context, request, outcome);
  const { held } = context.execution;
  const stop = stopReasonOf(held.signal);
  if (stop === 'fenced') return { kind: 'fenced_out' };
  // Our own abort for a shutdown is no failure: the open call is sent again as recorded.
  if (stop === 'shutdown') return { kind: 'released', reason: stop };
  const retryable = outcome.class !== 'aborted';
  const event = context.event('LlmCallFailed', [request.callNo, request.try], {
    call_no: request.callNo,
    try: request.try,
    model: request.model.facts.id,
    class: outcome.class,
    detail: outcome.detail,
    retryable,
    retry_after_ms: outcome.retryAfterMs,
    usage: outcome.usage,
    cost_usd: outcome.costUsd,
    ...(outcome.partial === null ? {} : { partial: outcome.partial }),
  });
  const isReplaced = isAnotherAsked(context, outcome.class);
  await context.append([event], {
    usage: { usage: outcome.usage, costUsd: outcome.costUsd ?? 0, modelCalls: 1, toolCalls: 0 },
  });
  if (stop === 'timed_out') return stepTimedOut();
  if (stop === 'cancelled' || outcome.class === 'aborted') return { kind: 'cancelled' };
  if (isReplaced) return null;
  if (outcome.class === 'rate_limited')
    return rateLimitedStep(request.model.name, outcome.detail, outcome.retryAfterMs);
  return failedStep(failureKind(outcome.class), outcome.detail, outcome.retryAfterMs);
}

function failureKind(
  failureClass: Exclude<Extract<ModelOutcome, { kind: 'failure' }>['class'], 'aborted'>,
): FailureKind {
  return failureClass;
}

async function recordAnswer(
  context: AgentContext,
  request: CallRequest,
  answer: Extract<ModelOutcome, { kind: 'answer' }>,
): Promise<StepOutcome | null> {
  const completed = context.event('LlmCallCompleted', [request.callNo, request.try], {
    call_no: request.callNo,
    try: request.try,
    model: request.model.facts.id,
    message: answer.message,
    finish_reason: answer.finishReason,
    usage: answer.usage,
    cost_usd: answer.costUsd,
    wire_hash: answer.wireHash,
    ...(answer.providerPayload === null ? {} : { provider_payload: answer.providerPayload }),
  });
  const requested = answer.message.tool_calls.map((toolCall, ordinal): NewEvent =>
    context.event('ToolCallRequested', [request.callNo, ordinal], {
      call_no: request.callNo,
      ordinal,
      tool_call: toolCall,
    }),
  );
  const usage = { usage: answer.usage, costUsd: answer.costUsd ?? 0, modelCalls: 1, toolCalls: 0 };
  const result = await context.append([completed, ...requested], { usage });
  return result.status === 'fenced_out' ? { kind: 'fenced_out' } : null;
}

/** Before the failure is recorded: then another model is asked at once, and the failure is no attempt of the step. */
function isAnotherAsked({ conversation: { loop } }: AgentContext, failed: ModelFailureClass): boolean {
  return loop.modelIndex(failed) > loop.modelIndex();
}
