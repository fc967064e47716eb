import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject, type StoredEvent } from '#libs/domain';
import { listLogsOfStream, readStreamEvents, type ReadDatabase } from '#libs/event-store';
import type { Verification } from './stream.schema.js';

const BATCH = 500;
/** A broken log has as many faults as events; the first ones tell enough. */
const MAX_FAULTS = 100;

type Fault = Verification['faults'][number];

/** Reads every event again: its place, its entry number, and the digest of its data. A sub-stream is checked alone. */
export async function verifyStream(db: ReadDatabase, projectId: string, streamId: string): Promise<Verification> {
  const logs = streamId.includes(':')
    ? [streamId]
    : (await listLogsOfStream(db, projectId, streamId)).map((log) => log.streamId);
  const checks = [];
  for (const log of logs) checks.push(await verifyLog(db, projectId, log));
  const faults = checks.flatMap((check) => check.faults);
  return {
    stream_id: streamId,
    ok: faults.length === 0,
    logs: logs.length,
    events: checks.reduce((sum, check) => sum + check.events, 0),
    faults: faults.slice(0, MAX_FAULTS),
  };
}

async function verifyLog(
  db: ReadDatabase,
  projectId: string,
  streamId: string,
): Promise<{ events: number; faults: Fault[] }> {
  const faults: Fault[] = [];
  let seq = 0;
  let entry = 0;
  let events = 0;
  for (;;) {
    const batch = await readStreamEvents(db, { projectId, streamId, afterSeq: seq, limit: BATCH });
    for (const event of batch) {
      faults.push(...faultsOf(event, { seq, entry }));
      seq = event.seq;
      entry = event.entry ?? entry;
      events += 1;
    }
    if (batch.length < BATCH) return { events, faults };
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
