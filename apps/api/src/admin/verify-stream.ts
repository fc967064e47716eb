import { createHash } from 'node:crypto';
import { canonicalJson, ERASED_DIGEST, rootStreamId, type JsonObject, type StoredEvent } from '#libs/domain';
import { reviewCalls, type EventLog } from '#libs/engine';
import { listLogsOfStream, readStreamEvents, type ReadDatabase } from '#libs/event-store';
import type { Verification } from './stream.schema.js';

const BATCH = 500;
/** A broken log has as many faults as events; the first ones tell enough. */
const MAX_FAULTS = 100;

type Fault = Verification['faults'][number];
type Source = { db: ReadDatabase; log: EventLog };
type Checked = { events: number; erased: number; contexts: Verification['contexts']; faults: Fault[] };

/**
 * Reads every event again: its place, its entry number, the digest of its data; and builds the context of every model call
 * again. A sub-stream is checked alone.
 */
export async function verifyStream({ db, log }: Source, projectId: string, streamId: string): Promise<Verification> {
  const isRoot = !streamId.includes(':');
  const logs = isRoot ? (await listLogsOfStream(db, projectId, streamId)).map((row) => row.streamId) : [streamId];
  const checks: Checked[] = [];
  for (const subStream of logs) {
    const { events, erased, faults } = await verifyLog(db, projectId, subStream);
    const calls = subStream.includes(':') ? await verifyCalls(log, projectId, subStream) : noCalls;
    checks.push({ events, erased, contexts: calls.contexts, faults: [...faults, ...calls.faults] });
  }
  return { stream_id: streamId, logs: logs.length, ...totalOf(checks) };
}

function totalOf(checks: readonly Checked[]): Omit<Verification, 'stream_id' | 'logs'> {
  const faults = checks.flatMap((check) => check.faults);
  const contexts = checks.reduce((sum, { contexts: one }) => addContexts(sum, one), noContexts);
  return {
    ok: faults.length === 0,
    events: checks.reduce((sum, check) => sum + check.events, 0),
    erased: checks.reduce((sum, check) => sum + check.erased, 0),
    calls: Object.values(contexts).reduce((sum, number) => sum + number, 0),
    contexts,
    faults: faults.slice(0, MAX_FAULTS),
  };
}

const noContexts: Verification['contexts'] = { equal: 0, differs_by_version: 0, erased: 0, corrupt: 0 };
const noCalls = { contexts: noContexts, faults: [] };

function addContexts(left: Verification['contexts'], right: Verification['contexts']): Verification['contexts'] {
  return {
    equal: left.equal + right.equal,
    differs_by_version: left.differs_by_version + right.differs_by_version,
    erased: left.erased + right.erased,
    corrupt: left.corrupt + right.corrupt,
  };
}

/** An older builder's context need not come out the same, and erased events cannot: only `corrupt` is a fault. */
async function verifyCalls(
  log: EventLog,
  projectId: string,
  subStream: string,
): Promise<Pick<Checked, 'contexts' | 'faults'>> {
  const { calls } = await reviewCalls({ log }, { projectId, rootStream: rootStreamId(subStream), subStream });
  const contexts = calls.reduce((sum, { verdict }) => addContexts(sum, { ...noContexts, [verdict]: 1 }), noContexts);
  const faults = calls
    .filter(({ verdict }) => verdict === 'corrupt')
    .map(({ runId, callNo, seq }) => ({
      stream_id: subStream,
      seq,
      code: 'context_differs',
      detail: `call ${callNo} of run ${runId ?? 'unknown'} does not come out as it was recorded`,
    }));
  return { contexts, faults };
}

async function verifyLog(
  db: ReadDatabase,
  projectId: string,
  streamId: string,
): Promise<{ events: number; erased: number; faults: Fault[] }> {
  const faults: Fault[] = [];
  let seq = 0;
  let entry = 0;
  let events = 0;
  let erased = 0;
  for (;;) {
    const batch = await readStreamEvents(db, { projectId, streamId, afterSeq: seq, limit: BATCH });
    for (const event of batch) {
      faults.push(...faultsOf(event, { seq, entry }));
      seq = event.seq;
      entry = event.entry ?? entry;
      events += 1;
      if (event.digest === ERASED_DIGEST) erased += 1;
    }
    if (batch.length < BATCH) return { events, erased, faults };
  }
}

function faultsOf(event: StoredEvent, before: { seq: number; entry: number }): Fault[] {
  const at = { stream_id: event.streamId, seq: event.seq };
  const faults: Fault[] = [];
  if (event.seq !== before.seq + 1) {
    faults.push({ ...at, code: 'gap', detail: `expected seq ${before.seq + 1}` });
  }
  if (event.entry !== null && event.entry !== before.entry + 1) {
    faults.push({ ...at, code: 'entry_gap', detail: `entry ${event.entry} follows entry ${before.entry}` });
  }
  if (event.digest === ERASED_DIGEST) return faults;
  const data: JsonObject = event.data;
  const digest = createHash('sha256').update(canonicalJson(data)).digest('hex');
  if (digest !== event.digest) {
    faults.push({
      ...at,
      code: 'digest_differs',
      detail: `${event.type} has the digest ${event.digest}, its data give ${digest}`,
    });
  }
  return faults;
}
