import {
  readJson,
  renderRunTemplate,
  renderSignalTemplate,
  renderText,
  type ExpressionVariables,
  type Json,
  type JsonObject,
  type PipelineFault,
  type RunTemplate,
  type SignalTemplate,
} from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { sha256 } from '../new-event.js';
import type { RunTransaction } from '../ports/run-store.port.js';
import type { HookDeliveryKey, HookReceipt } from '../ports/trigger-store.port.js';
import { startRunWithin, type StartRunResult } from '../start-run/start-run.js';
import { sendSignalWithin } from '../waits/send-signal.js';
import { fault } from '../schedules/check-schedule.js';
import type { HookDelivery, HookWithSecrets } from './hook-record.js';
import { trusted, verifyDelivery } from './verify-delivery.js';

export type ReceiveResult =
  | { status: 'unverified'; detail: string }
  | { status: 'malformed'; detail: string }
  /** The delivery does not fit what the hook makes of it. Nothing was kept: it may be sent again. */
  | { status: 'unusable'; faults: readonly PipelineFault[] }
  | { status: 'received'; receipt: HookReceipt; isRepeated: boolean };

/** Takes what a sender delivers, once for each of the sender's ids: what it starts and its receipt are one transaction. */
export async function receiveDelivery(
  deps: EngineDeps,
  hook: HookWithSecrets,
  delivery: HookDelivery,
  /** Who delivers has shown otherwise that it may. */
  isTrusted = false,
): Promise<ReceiveResult> {
  const verified = isTrusted ? trusted(delivery) : verifyDelivery(hook, delivery, deps.now().getTime());
  if (!verified.ok) return { status: 'unverified', detail: verified.detail };
  const body = parseBody(delivery);
  if (!body.ok) return { status: 'malformed', detail: body.detail };
  const variables = { body: body.value, headers: shownHeaders(hook, delivery), hook: { name: hook.name } };
  const id = deliveryIdOf(deps, hook, variables, verified.standardId);
  if (!id.ok) return unusable('delivery_id', id.detail);
  const key = { projectId: hook.projectId, name: hook.name, deliveryHash: sha256(id.text) };
  const known = await deps.runs.getHookReceipt(key);
  if (known !== null) return { status: 'received', receipt: known, isRepeated: true };
  const wanted = isWanted(deps, hook, variables);
  if (!wanted.ok) return unusable('when', wanted.detail);
  if (!wanted.value) return ignore(deps, key);
  const { action } = hook;
  return 'start' in action ? start(deps, key, action.start, variables) : signal(deps, key, action.signal, variables);
}

/** They prove who sends, or are about the connection. */
const HIDDEN_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'webhook-signature',
]);

function shownHeaders({ verification }: HookWithSecrets, { headers }: HookDelivery): JsonObject {
  const signature = verification.kind === 'hmac_sha256' ? verification.header : null;
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HIDDEN_HEADERS.has(name) && name !== signature),
  );
}

function parseBody({ contentType, body }: HookDelivery): { ok: true; value: Json } | { ok: false; detail: string } {
  if (contentType.startsWith('application/x-www-form-urlencoded'))
    return { ok: true, value: Object.fromEntries(new URLSearchParams(body)) };
  if (body.trim() === '') return { ok: true, value: null };
  try {
    return { ok: true, value: readJson(body) };
  } catch (error) {
    return { ok: false, detail: `The body is not JSON: ${error instanceof Error ? error.message : String(error)}.` };
  }
}

function deliveryIdOf(
  deps: EngineDeps,
  hook: HookWithSecrets,
  variables: ExpressionVariables,
  standardId: string | null,
): { ok: true; text: string } | { ok: false; detail: string } {
  // Without any id each delivery is one of its own.
  if (hook.deliveryIdTemplate === null) return { ok: true, text: standardId ?? deps.newId('hook') };
  const rendered = renderText(hook.deliveryIdTemplate, variables, deps.expressions);
  if (!rendered.ok || rendered.text !== '') return rendered;
  return { ok: false, detail: 'the delivery id is empty' };
}

function isWanted(
  deps: EngineDeps,
  { condition }: HookWithSecrets,
  variables: ExpressionVariables,
): { ok: true; value: boolean } | { ok: false; detail: string } {
  if (condition === null) return { ok: true, value: true };
  const result = deps.expressions.evaluate(condition, variables);
  return result.ok ? { ok: true, value: result.value === true } : result;
}

async function ignore(deps: EngineDeps, key: HookDeliveryKey): Promise<ReceiveResult> {
  const isFirst = await deps.runs.transact((tx) => tx.claimHookDelivery(key));
  return { status: 'received', receipt: { outcome: 'ignored', runId: null, signalId: null }, isRepeated: !isFirst };
}

async function start(
  deps: EngineDeps,
  key: HookDeliveryKey,
  template: RunTemplate,
  variables: ExpressionVariables,
): Promise<ReceiveResult> {
  const rendered = renderRunTemplate(template, variables, deps.expressions);
  if (!rendered.ok) return unusable('action.start', rendered.detail);
  const { pipeline, version, inputs, stream_id: streamId, tags, metadata, priority } = rendered.run;
  const result = await startRunWithin(
    deps,
    {
      ...{ projectId: key.projectId, pipeline, version, inputs, streamId, tags, priority },
      ...{ metadata: { ...metadata, hook: { name: key.name } }, deadlineAt: null, idempotencyKey: null },
    },
    {
      claim: (tx) => tx.claimHookDelivery(key),
      started: (tx, runId) => tx.storeHookReceipt(key, { outcome: 'started', runId, signalId: null }),
    },
  );
  if (result.status === 'not_claimed') return repeated(deps, key);
  return startedOr(result, pipeline);
}

function startedOr(result: StartRunResult, pipeline: string): ReceiveResult {
  switch (result.status) {
    case 'started':
    case 'replayed':
      return received({ outcome: 'started', runId: result.runId, signalId: null });
    case 'invalid':
      return { status: 'unusable', faults: result.faults };
    case 'pipeline_not_found':
      return unusable('action.start.pipeline', `there is no pipeline ${pipeline}`);
    case 'stream_busy':
      return unusable('action.start.stream_id', `another run holds the stream ${result.streamId} (on_busy: reject)`);
    case 'key_mismatch':
      return unusable('delivery_id', 'it was used before');
  }
}

async function signal(
  deps: EngineDeps,
  key: HookDeliveryKey,
  template: SignalTemplate,
  variables: ExpressionVariables,
): Promise<ReceiveResult> {
  const rendered = renderSignalTemplate(template, variables, deps.expressions);
  if (!rendered.ok) return unusable('action.signal', rendered.detail);
  const receipt = { outcome: 'signalled' as const, runId: null };
  const sent = await sendSignalWithin(
    deps,
    { projectId: key.projectId, ...rendered.signal },
    {
      claim: (tx: RunTransaction) => tx.claimHookDelivery(key),
      sent: (tx, signalId) => tx.storeHookReceipt(key, { ...receipt, signalId }),
    },
  );
  return sent === null
    ? repeated(deps, key)
    : received({ ...receipt, runId: sent.deliveredTo, signalId: sent.signalId });
}

async function repeated(deps: EngineDeps, key: HookDeliveryKey): Promise<ReceiveResult> {
  const receipt = await deps.runs.getHookReceipt(key);
  return {
    status: 'received',
    receipt: receipt ?? { outcome: 'ignored', runId: null, signalId: null },
    isRepeated: true,
  };
}

const received = (receipt: HookReceipt): ReceiveResult => ({ status: 'received', receipt, isRepeated: false });

function unusable(path: string, why: string): ReceiveResult {
  const fit = 'a delivery that fits the hook';
  return { status: 'unusable', faults: [fault(path, 'delivery_unusable', 'this delivery', fit, why)] };
}
