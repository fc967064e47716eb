import {
  subStreamId,
  renderTemplate,
  type Content,
  type ContentPart,
  type Json,
  type TaskPart,
  canonicalJson,
  contentPartSchema,
} from '#libs/domain';
import { z } from 'zod';
import { nextMemoryEntry, type ViewSpec } from '#libs/context';
import { RunRecorder } from '../advance/run-recorder.js';
import { readMemory } from '../memory.js';
import type { RunRecord } from '../ports/run-records.port.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import { failedStep, type StepOutcome } from '../run-step/step-outcome.js';
import { manifestJson, type AgentExecution, type AgentPlan } from './agent-plan.js';
import { Conversation, type OwnLoop } from './conversation.js';
import { inputsAgain, type GivenInputs } from './inputs-again.js';

/** Where a step's conversation stands: fixed when it first starts in a run, never read from a clock again. */
export type Begun = { subStream: string; view: ViewSpec; memorySeq: number };

type BeginResult = { ok: true; begun: Begun; conversation: Conversation } | { ok: false; outcome: StepOutcome };

/**
 * Writes that the step starts: on the first start in a run with the cutoff (the sub-stream's version before the task),
 * memory, documents and task, all in one transaction; later with the same numbers, and of documents and task only what a
 * retry made another, or the task again where the conversation went on without it.
 */
export async function beginAgentStep(execution: AgentExecution, plan: AgentPlan): Promise<BeginResult> {
  const { deps, run, row } = execution;
  const inputs = renderInputs(execution);
  if (!inputs.ok) return { ok: false, outcome: inputs.outcome };
  await deps.log.putPayload(run.projectId, plan.manifestHash, manifestJson(plan.manifest));
  const subStream = subStreamId(run.streamId, row.stepId, row.item);
  const opened = await openConversation(execution, plan, subStream);
  const begun = await deps.runs.transact((tx) => begin(tx, { execution, plan, subStream, inputs, opened }));
  if (begun === null) return { ok: false, outcome: { kind: 'fenced_out' } };
  return { ok: true, begun, conversation: opened ?? beginConversation(execution, plan, begun) };
}

/** Before the transaction, so that it holds no lock for long. Null: a fresh view begins with what the transaction writes. */
async function openConversation(
  execution: AgentExecution,
  plan: AgentPlan,
  streamId: string,
): Promise<Conversation | null> {
  const { deps, run, row } = execution;
  const { mode } = plan.policy;
  if (row.cutoffSeq === null && mode === 'fresh') return null;
  const view: ViewSpec = { mode, runId: run.runId, cutoffSeq: row.cutoffSeq };
  const next = { view, policyHash: plan.policyHash, model: plan.facts };
  const own = { ...ownLoop(execution, plan), ownFrom: row.cutoffSeq };
  return Conversation.open(deps, { projectId: run.projectId, streamId }, next, own);
}

const beginConversation = (execution: AgentExecution, plan: AgentPlan, { subStream, view }: Begun): Conversation =>
  Conversation.begin(
    execution.deps,
    { projectId: execution.run.projectId, streamId: subStream },
    view,
    ownLoop(execution, plan),
  );

function ownLoop({ run, row }: AgentExecution, plan: AgentPlan): OwnLoop {
  const subject = { runId: run.runId, stepId: row.stepId, item: row.item, round: row.round };
  return { subject, models: plan.models.length };
}

type Beginning = {
  opened: Conversation | null;
  execution: AgentExecution;
  plan: AgentPlan;
  subStream: string;
  inputs: GivenInputs;
};

async function begin(tx: RunTransaction, beginning: Beginning): Promise<Begun | null> {
  const { execution, plan, subStream } = beginning;
  const { deps, run } = execution;
  const row = await tx.lockStepRun(run.projectId, execution.row.stepRunId);
  if (row === null || row.fence !== execution.held.fence || row.status !== 'running') return null;
  const versions = await tx.lockStreams(run.projectId, [run.streamId, subStream]);
  const first = row.cutoffSeq === null;
  const cutoffSeq = row.cutoffSeq ?? versions.get(subStream)?.version ?? 0;
  const memorySeq = row.memorySeq ?? versions.get(run.streamId)?.version ?? 0;
  const view: ViewSpec = { mode: plan.policy.mode, runId: run.runId, cutoffSeq };
  const recorder = new RunRecorder(deps, run);
  recorder.ofStep(row, 'StepStarted', [row.fence], {
    attempt: row.attempt,
    start: row.starts,
    context_mode: plan.policy.mode,
    cutoff_seq: cutoffSeq,
    memory_seq: memorySeq,
    manifest: plan.manifestHash,
  });
  if (first) await recordOpening(tx, recorder, beginning, { view, memorySeq });
  else await recordAgain(tx, recorder, beginning, view);
  await recorder.flush(tx);
  await tx.updateStepRun(run.projectId, row.stepRunId, { cutoffSeq, memorySeq, manifest: plan.manifestHash });
  return { subStream, view, memorySeq };
}

async function recordOpening(
  tx: RunTransaction,
  recorder: RunRecorder,
  { execution, plan, inputs, opened }: Beginning,
  at: { view: ViewSpec; memorySeq: number },
): Promise<void> {
  const { run, row } = execution;
  const memory = await readMemory(tx, run.projectId, run.streamId, at.memorySeq);
  // Under the lock of the stream: what is shown now is what the next build sees.
  await opened?.refresh(tx);
  const shown = nextMemoryEntry(opened?.events ?? [], at.view, memory, at.memorySeq, plan.policy);
  if (shown !== null) recorder.inConversation(row, 'MemoryShown', [], shown);
  if (inputs.documents !== null) recorder.inConversation(row, 'DocumentsProvided', [], { content: inputs.documents });
  recorder.inConversation(row, 'UserMessageReceived', ['task'], {
    origin: 'task',
    content: inputs.task,
    ...injectedBy(run),
  });
}

/** Who starts a run with the metadata `injected: true` says that a program, not a person, speaks in its task. */
const injectedBy = ({ metadata }: RunRecord): { injected?: true } =>
  metadata['injected'] === true ? { injected: true } : {};

async function recordAgain(
  tx: RunTransaction,
  recorder: RunRecorder,
  { execution, subStream, inputs }: Beginning,
  view: ViewSpec,
): Promise<void> {
  const { deps, run, row } = execution;
  const place = { projectId: run.projectId, streamId: subStream };
  const { documents, task } = await inputsAgain(tx, place, inputs, { row, view, redact: deps.redact });
  if (documents !== null) recorder.inConversation(row, 'DocumentsProvided', [row.fence], { content: documents });
  if (task === null) return;
  recorder.inConversation(row, 'UserMessageReceived', ['task', row.fence], {
    origin: 'task',
    content: inputs.task,
    ...injectedBy(run),
    ...(task === 'reissued' ? { reissued: true } : {}),
  });
}

type RenderedInputs = ({ ok: true } & GivenInputs) | { ok: false; outcome: StepOutcome };

function renderInputs({ step, variables, deps }: AgentExecution): RenderedInputs {
  const task = renderTemplate(taskTemplate(step.task), variables, deps.expressions);
  if (!task.ok) return { ok: false, outcome: failedStep('expression_failed', `task: ${task.detail}`) };
  const documents = renderTemplate(step.documents, variables, deps.expressions);
  if (!documents.ok) return { ok: false, outcome: failedStep('expression_failed', `documents: ${documents.detail}`) };
  const content = typeof step.task === 'string' ? contentOf(task.value) : partsOf(step.task, task.value);
  if (isBlank(content))
    return {
      ok: false,
      outcome: failedStep('step_invalid', `the task of step ${step.id} is empty; give it an input or a default`),
    };
  return { ok: true, task: content, documents: isNothing(documents.value) ? null : textOf(documents.value) };
}

const isNothing = (value: Json): boolean => value === null || value === '';
const isBlank = (content: Content): boolean => typeof content === 'string' && content.trim() === '';

function textOf(value: Json): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

/** A task that is one whole `${…}` may be a list of content parts. */
function contentOf(value: Json): Content {
  const parts = z.array(contentPartSchema).min(1).safeParse(value);
  return parts.success ? parts.data : textOf(value);
}

function taskTemplate(task: AgentExecution['step']['task']): Json {
  if (typeof task === 'string') return task;
  return task.map((part) =>
    part.type === 'text' ? part.text : part.source.from === 'data' ? part.source.data : part.source.url,
  );
}

/** Puts the rendered strings back into the parts they came from. */
function partsOf(task: readonly TaskPart[], rendered: Json): ContentPart[] {
  const values = Array.isArray(rendered) ? rendered : [];
  return task.map((part, index): ContentPart => {
    const value = textOf(values[index] ?? '');
    if (part.type === 'text') return { type: 'text', text: value };
    const source = part.source.from === 'data' ? { data: value } : { url: value };
    const mediaType = part.mediaType === null ? {} : { media_type: part.mediaType };
    if (part.type === 'image') return { type: 'image', ...mediaType, ...source };
    return { type: 'document', ...mediaType, ...source, ...(part.name === null ? {} : { name: part.name }) };
  });
}
