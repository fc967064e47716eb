import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { dataOf, ServerProblem, type WeirClient } from '#libs/client';
import type { ApiFormat, EffectivePolicy, ModelFacts, ReplayRun, Transcript } from '#libs/context';
import { canonicalJson, type Json } from '#libs/domain';
import { recordedSession, recordedToolNames, replayDocument, replayTask, type RecordedSession } from '#libs/engine';
import { UsageError } from '../terminal/exit-code.js';
import { readReview, type PlayedCall, type PlayedTotal } from './read-review.js';

export type Recording = {
  /** Of the recording and of the pipeline made for it: letters, digits, `.`, `_`, `-`. */
  name: string;
  body: Json;
  transcript: Transcript;
  policy: EffectivePolicy;
  /** As it is measured; the names go to the server, which has a catalogue of its own. */
  model: ModelFacts;
  modelName: string | null;
  apiFormat: ApiFormat | null;
  streamId: string;
};

export type PlayedRun = { runId: string; userIndex: number | null; status: string; expected: ReplayRun['end'] };

export type Played = { runs: PlayedRun[]; calls: PlayedCall[]; total: PlayedTotal };

export type PlayListener = { onRun?: (run: PlayedRun, done: number, all: number) => void };

/**
 * Plays a recording through the service: uploads it, applies the pipeline made for it, starts one run after the other on one
 * stream, then has every call built again.
 */
export async function playRecording(client: WeirClient, recording: Recording, listener: PlayListener): Promise<Played> {
  const session = recordedSession(recording.transcript, recording.policy, recording.model);
  await refuseUsedStream(client, recording.streamId);
  const version = await prepare(client, recording, session);
  const runs: PlayedRun[] = [];
  for (const run of session.plan.runs) {
    const runId = await start(client, recording, version, run);
    const status = await ended(client, runId);
    const played = { runId, userIndex: run.userIndex, status, expected: run.end };
    runs.push(played);
    listener.onRun?.(played, runs.length, session.plan.runs.length);
  }
  const review = await readReview(
    client,
    recording.streamId,
    session.plan,
    runs.map(({ runId }) => runId),
  );
  return { runs, ...review };
}

/** The n-th run on a stream plays the recording's n-th: on a stream with a past that would be another one. */
async function refuseUsedStream(client: WeirClient, stream: string): Promise<void> {
  const known = await client.api.GET('/v1/admin/streams/{stream}', { params: { path: { stream } } }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ServerProblem && error.status === 404) return false;
      throw error;
    },
  );
  if (known) throw new UsageError(`Stream ${stream} has a past: --stream-id must name a new one, or leave it out.`);
}

const json = { 'content-type': 'application/json' };

async function prepare(client: WeirClient, recording: Recording, session: RecordedSession): Promise<number> {
  const { name } = recording;
  await client.open(`/v1/recordings/${name}`, { method: 'PUT', headers: json, body: JSON.stringify(recording.body) });
  const document = replayDocument({
    name,
    recording: name,
    model: modelOf(recording),
    plan: session.plan,
    toolNames: recordedToolNames(session.plan, recording.model),
    policy: session.policy,
  });
  const applied = await (
    await client.open(`/v1/pipelines/${name}`, { method: 'PUT', headers: json, body: JSON.stringify(document) })
  ).json();
  return z.looseObject({ version: z.number() }).parse(applied).version;
}

function modelOf({ name, modelName, apiFormat }: Recording): string {
  const query = new URLSearchParams({
    ...(modelName === null ? {} : { model: modelName }),
    ...(apiFormat === null ? {} : { api_format: apiFormat }),
  });
  return query.size === 0 ? `replay:${name}` : `replay:${name}?${query.toString()}`;
}

async function start(client: WeirClient, recording: Recording, version: number, run: ReplayRun): Promise<string> {
  const body = {
    inputs: { task: replayTask(run.task) },
    stream_id: recording.streamId,
    version,
    tags: ['replay'],
    ...(run.injected ? { metadata: { injected: true } } : {}),
  };
  const params = { path: { name: recording.name } };
  return (await dataOf(client.api.POST('/v1/pipelines/{name}/runs', { params, body }))).id;
}

const POLL_MS = 100;
const ENDED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'timed_out', 'dead_letter']);

async function ended(client: WeirClient, runId: string): Promise<string> {
  for (;;) {
    const run = await dataOf(client.api.GET('/v1/runs/{run}', { params: { path: { run: runId } } }));
    if (ENDED.has(run.status)) return run.status;
    await sleep(POLL_MS);
  }
}

/** `pi-large-session-1a2b3c4d`: the same content under the same name, so that uploading again changes nothing. */
export function recordingName(file: string, body: Json): string {
  const base = (file.split(/[\\/]/).at(-1) ?? file).replace(/\.json$/i, '').replaceAll(/[^A-Za-z0-9._-]/g, '-');
  const stem = /^[A-Za-z0-9]/.test(base) ? base.slice(0, 60) : `r-${base.slice(0, 60)}`;
  return `${stem}-${createHash('sha256').update(canonicalJson(body)).digest('hex').slice(0, 8)}`;
}
