import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { waitFor } from '../support/index.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';

const CANCELS = 5;

/** A provider that takes requests and never answers; it notes when their sockets close. */
async function hangingProvider() {
  const opened: string[] = [];
  const closedAt = new Map<string, number>();
  const server = createServer((request) => {
    void text(request).then((body) => {
      const [, who = 'nobody'] = /cancel me (\d+)/.exec(body) ?? [];
      request.socket.once('close', () => closedAt.set(who, performance.now()));
      opened.push(who);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    opened,
    closedAt,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let provider: Awaited<ReturnType<typeof hangingProvider>>;

scenario('a cancel through one process reaches the socket of another within a second', {
  deployment: async () => {
    provider = await hangingProvider();
    const local = `provider: openai, base_url: "${provider.url}", api_key: none, allow_private_addresses: true`;
    return { workers: 2, operatorFile: `connections: { local: { ${local} } }\n` };
  },
  run: async ({ deployment, tell }) => {
    await deployment.apply({
      name: 'slow',
      inputs: { n: { type: 'integer' } },
      agents: { a: { model: 'local:slow', system_prompt: 'You answer.' } },
      steps: [{ id: 'answer', agent: 'a', task: 'cancel me ${inputs.n}' }],
    });
    const latencies: number[] = [];
    const runIds: string[] = [];
    for (let n = 1; n <= CANCELS; n += 1) {
      const runId = await deployment.start('slow', { n });
      runIds.push(runId);
      await waitFor(() => provider.opened.includes(String(n)), { timeoutMs: 60_000, what: 'the call of the model' });
      const asked = performance.now();
      expect(await deployment.ask('POST', `/v1/runs/${runId}/cancel`, {})).toMatchObject({ status: 202 });
      latencies.push(
        (await waitFor(() => provider.closedAt.get(String(n)), { timeoutMs: 30_000, everyMs: 5 })) - asked,
      );
    }
    const runs = await deployment.ended(runIds);
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'cancelled'));
    tell(`sockets closed after ${latencies.map((ms) => ms.toFixed(0)).join(', ')} ms`);
    const median = latencies.toSorted((a, b) => a - b)[Math.floor(CANCELS / 2)];
    expect(median).toBeLessThan(1000);
    await expectSound(deployment, runIds);
    await provider.close();
  },
});
