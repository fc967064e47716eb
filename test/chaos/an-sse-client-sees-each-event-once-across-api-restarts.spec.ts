import { setTimeout as delay } from 'node:timers/promises';
import { openSse, type SseFrame } from '../contracts/api/read-sse.js';
import { waitFor } from '../support/index.js';
import type { Deployment } from './support/deployment.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';

const CLIENTS = 3;
const STEPS = 24;

/** A client as browsers are: cut off, it comes again with the id of the last event that it has seen. */
async function follow(
  { apis: [api], apiKey }: Deployment,
  runId: string,
): Promise<{ events: SseFrame[]; connections: number }> {
  const events: SseFrame[] = [];
  for (let connections = 1; ; connections += 1) {
    const last = events.at(-1)?.id ?? null;
    const client = await waitFor(() => openSse(`${api?.url}/v1/runs/${runId}/stream`, apiKey, last), {
      what: 'a connection to the stream',
      timeoutMs: 60_000,
      everyMs: 100,
    });
    await client.untilClosed();
    events.push(...client.ofType('event'));
    if (client.ofType('end').length > 0) return { events, connections };
  }
}

scenario('an SSE client sees each event once, in order, across restarts of the API', {
  deployment: { workers: 1 },
  run: async ({ deployment, random, tell }) => {
    const [api] = deployment.apis;
    deployment.script('slow', { replies: [{ text: 'said', delay_ms: 400 }] });
    await deployment.apply({
      name: 'chain',
      agents: { slow: { model: 'scripted:slow', system_prompt: 'You answer.' } },
      steps: Array.from({ length: STEPS }, (_, index) => ({
        ...{ id: `s${index}`, agent: 'slow', task: 'Say it.' },
        ...(index === 0 ? {} : { depends_on: [`s${index - 1}`] }),
      })),
    });
    const runId = await deployment.start('chain', {});
    const following = Promise.all(Array.from({ length: CLIENTS }, () => follow(deployment, runId)));
    for (const end of ['terminate', 'kill', 'terminate'] as const) {
      await delay(random.between(300, 1200));
      await api?.[end]();
      await api?.start();
    }
    const seen = await following;
    await deployment.ended([runId]);
    tell(`connections: ${seen.map(({ connections }) => connections).join(', ')}`);
    expect(Math.min(...seen.map(({ connections }) => connections))).toBeGreaterThan(1);
    const feed = await deployment.ask('GET', `/v1/runs/${runId}/events?limit=1000`);
    const ids = (feed.body.data as { cursor: string }[]).map(({ cursor }) => cursor);
    const [stored] = await deployment.database.sql<{ events: number }[]>`
      select count(*)::int as events from event where run_id = ${runId}`;
    expect(ids).toHaveLength(stored?.events ?? 0);
    for (const { events } of seen) expect(events.map(({ id }) => id)).toEqual(ids);
    await expectSound(deployment, [runId]);
  },
});
