import type { Transcript } from '#libs/context';
import {
  AppError,
  STREAM_ID_PATTERN,
  canonicalJson,
  pipelineVariables,
  renderTemplate,
  validateInputs,
  type JsonObject,
  type PipelineDefinition,
  type PipelineFault,
  type StoredSpendLimit,
} from '#libs/domain';
import { afterCommit } from '../advance/after-commit.js';
import type { Advanced } from '../advance/advance-run.js';
import { RunRecorder } from '../advance/run-recorder.js';
import { cancelRun } from '../cancel-run.js';
import type { EngineDeps } from '../engine-deps.js';
import { findDefinition } from '../load-definition.js';
import { sha256 } from '../new-event.js';
import {
  conversationSteps,
  priorMessages,
  storePriorMessages,
  type PriorMessages,
} from '../conversation/prior-messages.js';
import type { NewRun } from '../ports/run-records.port.js';
import type { IdempotencyKey, RunTransaction } from '../ports/run-store.port.js';
import { redactedObject } from '../redacted-object.js';
import { acquireAndAdvance } from './acquire-and-advance.js';
import { chooseVersion } from './choose-version.js';
import { idempotencyOf, storedRunId } from './idempotent-start.js';
import { conversationThere, deadlinePassed, RefusedStart, streamBusy } from './refused-start.js';

export type StartRun = {
  projectId: string;
  pipeline: string;
  /** Null: what the alias `live` points to, or `canary` by its weight. */
  version: number | null;
  inputs: JsonObject;
  /** Null: the run's own id. */
  streamId: string | null;
  tags: string[];
  metadata: JsonObject;
  priority: number;
  /** RFC 3339 or null. */
  deadlineAt: string | null;
  /** Instead of the pipeline's; null: the pipeline's. */
  spendLimit?: StoredSpendLimit | null;
  /** What was said before, for a stream that has no conversation yet; null: nothing. */
  messages?: Transcript | null;
  /** Before the run may begin; null: none. */
  delayMs?: number | null;
  /** The caller's `Idempotency-Key`, or null. */
  idempotencyKey: string | null;
};

export type StartRunResult =
  | { status: 'started'; runId: string }
  /** The key was used before with the same body: the same run. */
  | { status: 'replayed'; runId: string }
  /** The key was used before with another body. */
  | { status: 'key_mismatch' }
  | { status: 'pipeline_not_found' }
  | { status: 'invalid'; faults: readonly PipelineFault[] }
  /** `on_busy: reject` and another run holds the stream. */
  | { status: 'stream_busy'; streamId: string };

/** What else belongs to the transaction that accepts a run. Its rows are locked before the run's. */
export type StartWithin = {
  /** Asked before anything is written. False: there is no run. */
  claim(tx: RunTransaction): Promise<boolean>;
  started(tx: RunTransaction, runId: string): Promise<void>;
};

/** Accepts a run: its row, its first event and (when its stream is free) its first steps in one transaction. Never waits for the queue. */
export async function startRun(deps: EngineDeps, command: StartRun): Promise<StartRunResult> {
  const result = await start(deps, command, null);
  if (result.status !== 'not_claimed') return result;
  throw new AppError('start_not_claimed', 'a start without conditions was refused by one');
}

/** The same, as a part of something that must happen once: a tick of a schedule, a delivery of a sender. */
export function startRunWithin(
  deps: EngineDeps,
  command: StartRun,
  within: StartWithin,
): Promise<StartRunResult | { status: 'not_claimed' }> {
  return start(deps, command, within);
}

async function start(deps: EngineDeps, command: StartRun, within: StartWithin | null): Promise<Accepted['result']> {
  const { projectId, pipeline } = command;
  const version = command.version ?? (await chooseVersion(deps, command));
  const definition = version === null ? null : await findDefinition(deps, projectId, pipeline, version);
  if (version === null || definition === null) return { status: 'pipeline_not_found' };
  const checked = checkCommand(deps, definition, command);
  if (!checked.ok) return { status: 'invalid', faults: checked.faults };
  const run = newRun(deps, { ...command, inputs: checked.inputs }, version, definition);
  const messages = command.messages ?? null;
  const prior = messages === null ? [] : priorMessages(deps, run, definition, messages);
  const acceptance: Acceptance = { run, definition, prior, key: idempotencyOf(command), within };
  const outcome = await transactStart(deps, acceptance).catch(refusal);
  if (outcome.advanced !== null) await afterCommit(deps, outcome.advanced);
  else if (outcome.result.status === 'started' && run.onBusy === 'interrupt' && run.delayMs === null)
    await interruptHolder(deps, run);
  return outcome.result;
}

/** A start that asks for nothing but its own rows shares its transaction with whatever else is ready. */
function transactStart(deps: EngineDeps, acceptance: Acceptance): Promise<Accepted> {
  const { run, prior, key, within } = acceptance;
  const work = (tx: RunTransaction): Promise<Accepted> => accept(deps, tx, acceptance);
  const isSimple = key === null && within === null && prior.length === 0 && run.streamId === run.runId;
  const isTimed = run.delayMs !== null || run.deadlineAt !== null;
  if (!isSimple || isTimed || run.concurrency !== null) return deps.runs.transact(work);
  const { projectId, runId } = run;
  return deps.runs.transactRun({ projectId, runId, stepRunId: null, places: [], items: [], seen: 'no_run' }, work);
}

function refusal(error: unknown): Accepted {
  if (error instanceof RefusedStart) return { result: error.result, advanced: null };
  throw error;
}

/** `on_busy: interrupt`: the run that holds the stream is cancelled; this one starts when it has ended. */
async function interruptHolder(deps: EngineDeps, run: NewRun): Promise<void> {
  const holder = await deps.runs.streamHolder(run.projectId, run.streamId);
  if (holder === null || holder.runId === run.runId) return;
  await cancelRun(deps, { projectId: run.projectId, runId: holder.runId, reason: `interrupted by ${run.runId}` });
}

type Checked = { ok: true; inputs: JsonObject } | { ok: false; faults: readonly PipelineFault[] };

function checkCommand(deps: Pick<EngineDeps, 'settings'>, definition: PipelineDefinition, command: StartRun): Checked {
  const faults: PipelineFault[] = [];
  const { streamId } = command;
  if ((command.messages ?? null) !== null && conversationSteps(deps, definition).length === 0) {
    const expected = 'a pipeline with an agent step that inherits (context.mode)';
    const detail = `messages would be shown to nobody: no agent step of ${definition.name} keeps a conversation`;
    faults.push({ path: 'messages', code: 'no_conversation', found: definition.name, expected, detail });
  }
  if (streamId !== null && !STREAM_ID_PATTERN.test(streamId)) {
    const expected = '1 to 128 of A-Z a-z 0-9 . _ ~ @ + - and not starting with . or ~';
    faults.push({
      path: 'stream_id',
      code: 'bad_stream_id',
      found: streamId.slice(0, 140),
      expected,
      detail: `stream_id must be ${expected}; the colon is Weir's own`,
    });
  }
  const inputs = validateInputs(definition, command.inputs);
  if (!inputs.ok) return { ok: false, faults: [...faults, ...inputs.errors] };
  return faults.length > 0 ? { ok: false, faults } : { ok: true, inputs: inputs.inputs };
}

function newRun(deps: EngineDeps, command: StartRun, version: number, definition: PipelineDefinition): NewRun {
  const runId = deps.newId('run');
  return {
    projectId: command.projectId,
    runId,
    pipeline: command.pipeline,
    pipelineVersion: version,
    streamId: command.streamId ?? runId,
    // As its first event has them: a run's row holds no more than its events.
    inputs: redactedObject(deps, command.inputs),
    tags: [...new Set([...definition.tags, ...command.tags])],
    metadata: redactedObject(deps, command.metadata),
    priority: command.priority,
    onBusy: definition.onBusy,
    exclusive: definition.onBusy !== 'parallel',
    deadlineAt: command.deadlineAt,
    timeoutMs: definition.timeoutMs,
    statusReason: null,
    ancestors: [],
    parentStepRunId: null,
    spendLimit: command.spendLimit ?? storedSpendLimit(definition.spendLimit),
    concurrency: concurrencyOf(deps, definition, command, runId),
    delayMs: command.delayMs ?? null,
  };
}

/** The pipeline's limit as runs keep it. */
export function storedSpendLimit(limit: PipelineDefinition['spendLimit']): StoredSpendLimit | null {
  if (limit === null) return null;
  const { tokens, costUsd, toolCalls, onExceeded } = limit;
  return { tokens, cost_usd: costUsd, tool_calls: toolCalls, on_exceeded: onExceeded };
}

/** The key is rendered once, when the run is accepted; one that cannot be rendered is a key of its own. */
function concurrencyOf(
  deps: EngineDeps,
  definition: PipelineDefinition,
  command: Pick<StartRun, 'inputs' | 'tags' | 'metadata' | 'streamId'>,
  runId: string,
): NewRun['concurrency'] {
  if (definition.concurrency === null) return null;
  const { key, limit } = definition.concurrency;
  const run = {
    id: runId,
    stream_id: command.streamId ?? runId,
    pipeline: definition.name,
    version: null,
    created_at: null,
    tags: command.tags,
    metadata: command.metadata,
  };
  const variables = pipelineVariables(definition, { inputs: command.inputs, run, steps: new Map() });
  const rendered = renderTemplate(key, variables, deps.expressions);
  return { key: sha256(canonicalJson(rendered.ok ? rendered.value : key)), limit };
}

type Accepted = { result: StartRunResult | { status: 'not_claimed' }; advanced: Advanced | null };

type Acceptance = {
  run: NewRun;
  definition: PipelineDefinition;
  prior: PriorMessages;
  key: IdempotencyKey | null;
  within: StartWithin | null;
};

async function accept(
  deps: EngineDeps,
  tx: RunTransaction,
  { run, definition, prior, key, within }: Acceptance,
): Promise<Accepted> {
  if (within !== null && !(await within.claim(tx))) return { result: { status: 'not_claimed' }, advanced: null };
  if (key !== null) {
    const claim = await tx.claimIdempotencyKey(key);
    if (claim.status === 'mismatch') return { result: { status: 'key_mismatch' }, advanced: null };
    if (claim.status === 'stored')
      return { result: { status: 'replayed', runId: storedRunId(claim.body) }, advanced: null };
  }
  if (run.deadlineAt !== null && Date.parse(run.deadlineAt) <= (await tx.now())) throw deadlinePassed(run.deadlineAt);
  await tx.insertRun(run);
  await within?.started(tx, run.runId);
  if (key !== null) await tx.storeIdempotentAnswer(key, 202, { run_id: run.runId });
  const record = await tx.lockRun(run.projectId, run.runId);
  if (record === null) throw new AppError('run_missing', `run ${run.runId} is not there right after its insert`);
  const taken = prior.length === 0 ? null : await storePriorMessages(tx, run, prior);
  if (taken !== null) throw conversationThere(taken);
  const recorder = new RunRecorder(deps, record);
  recordCreated(recorder, run);
  const advanced = await acquireAndAdvance({ deps, tx, run: record, definition, recorder });
  if (
    advanced === null &&
    run.onBusy === 'reject' &&
    (await tx.lockRun(run.projectId, run.runId))?.statusReason === 'stream_busy'
  )
    throw streamBusy(run.streamId);
  await recorder.flush(tx);
  return { result: { status: 'started', runId: run.runId }, advanced };
}

function recordCreated(recorder: RunRecorder, run: NewRun): void {
  recorder.ofRun('RunCreated', [], {
    pipeline: { name: run.pipeline, version: run.pipelineVersion },
    inputs: run.inputs,
    tags: run.tags,
    metadata: run.metadata,
    priority: run.priority,
    deadline_at: run.deadlineAt,
    spend_limit: run.spendLimit,
  });
}
