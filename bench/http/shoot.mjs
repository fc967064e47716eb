// Load of autocannon on one process; it is installed for the benchmark only.
import { createRequire } from 'node:module';
import { CLIENTS, r2 } from '../peers/lib/basics.mjs';

const autocannon = createRequire(new URL('../peers/package.json', import.meta.url))('autocannon');

/**
 * `amount` requests, each of 50 clients as soon as its last one was answered. Latencies in ms, CPU of the process in ms a request.
 * @throws when one is not answered with 2xx
 */
export async function shoot(target, amount, { path, ...request }) {
  const before = target.cpuMs();
  const result = await autocannon({ url: target.url + path, connections: CLIENTS, amount, ...request });
  const refused = result.non2xx + result.errors + result.timeouts;
  if (refused > 0) throw new Error(`${refused} of ${amount} requests of ${path} were not answered with 2xx`);
  return {
    n: amount,
    per_s: r2(amount / result.duration),
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
    max_ms: result.latency.max,
    cpu_ms: r2((target.cpuMs() - before) / amount),
  };
}

/** A chain of 5 steps is started. */
export const startOf = (token) => ({
  path: '/v1/pipelines/chain/runs',
  method: 'POST',
  body: JSON.stringify({ inputs: { id: 'http' } }),
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
});
