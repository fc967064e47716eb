import { setTimeout as sleep } from 'node:timers/promises';
import type { WeirClient } from './create-client.js';
import type { components } from './openapi.gen.js';
import { readFrames } from './read-frames.js';
import { ServerProblem, ServerUnreachable } from './server-problem.js';

type Schemas = components['schemas'];
type Delta = { run_id: string; step_id: string; item: number | null; call: number; text: string };

/** What a run's event stream tells. `snapshot` comes again after each reconnection; events never do. */
export type RunNews =
  | { readonly kind: 'snapshot'; readonly run: Schemas['Run'] }
  | { readonly kind: 'event'; readonly event: Schemas['Event'] }
  | { readonly kind: 'delta'; readonly delta: Delta }
  | { readonly kind: 'end'; readonly status: string; readonly cursor: string | null };

export type FollowOptions = {
  /** Go on after this cursor; null: from the first event. */
  readonly after?: string | null;
  readonly signal?: AbortSignal;
};

/** Without a frame in between; each try waits longer, a minute in all. */
const TRIES = 12;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8000;

/**
 * Follows a run until it has ended, over broken connections, restarts of the API and being dropped as too slow: each event
 * comes once. Rejects with ServerProblem (no such run, no right to see it) or ServerUnreachable when all tries failed.
 */
export async function* followRun(
  client: WeirClient,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<RunNews> {
  let after = options.after ?? null;
  let failed = 0;
  for (;;) {
    try {
      for await (const frame of await openStream(client, runId, after, options.signal)) {
        failed = 0;
        after = frame.id ?? after;
        const news = newsOf(frame.event, frame.data);
        if (news !== null) yield news;
        if (news?.kind === 'end') return;
      }
    } catch (error) {
      if (options.signal?.aborted === true) return;
      failed += 1;
      if (isFinal(error) || failed >= TRIES)
        throw error instanceof ServerProblem ? error : new ServerUnreachable(client.url, error);
    }
    await sleep(Math.min(FIRST_DELAY_MS * 2 ** failed, MAX_DELAY_MS));
  }
}

async function openStream(
  client: WeirClient,
  runId: string,
  after: string | null,
  signal: AbortSignal | undefined,
): Promise<ReturnType<typeof readFrames>> {
  const response = await client.open(`/v1/runs/${encodeURIComponent(runId)}/stream`, {
    headers: { accept: 'text/event-stream', ...(after === null ? {} : { 'last-event-id': after }) },
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.body === null) throw new ServerUnreachable(client.url, 'the event stream has no body');
  return readFrames(response.body);
}

function isFinal(error: unknown): boolean {
  return error instanceof ServerProblem && error.problem?.retryable !== true;
}

/** `lagged` and frames of later versions tell nothing: the connection ends and is opened again. */
function newsOf(event: string, data: string): RunNews | null {
  const body: unknown = JSON.parse(data);
  if (event === 'snapshot') return { kind: 'snapshot', run: body as Schemas['Run'] };
  if (event === 'event') return { kind: 'event', event: body as Schemas['Event'] };
  if (event === 'delta') return { kind: 'delta', delta: body as Delta };
  if (event !== 'end') return null;
  const { status, cursor } = body as { status: string; cursor: string | null };
  return { kind: 'end', status, cursor };
}
