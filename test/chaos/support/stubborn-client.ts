import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../support/index.js';
import type { Answer, Deployment } from './deployment.js';
import type { Random } from './random.js';

/** One order after the other, with a pause of at most a quarter of a second; the runs' ids. `refused` gets what was not accepted. */
export async function orderAllStubbornly(
  deployment: Deployment,
  inputs: readonly number[],
  random: Random,
  refused: Answer[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const n of inputs) {
    ids.push(await orderStubbornly(deployment, n, refused));
    await delay(random.between(0, 250));
  }
  return ids;
}

/** A client that does as it is told: on 503 or a cut connection it starts `order` again with the same key. Returns the run's id. */
async function orderStubbornly(deployment: Deployment, n: number, refused: Answer[]): Promise<string> {
  return waitFor(
    async () => {
      const headers = { 'idempotency-key': `order-${n}` };
      const answer = await deployment.ask('POST', '/v1/pipelines/order/runs', { inputs: { n } }, headers);
      if (answer.status === 202) return (answer.body as { id: string }).id;
      refused.push(answer);
      return null;
    },
    { what: `order ${n} to be accepted`, timeoutMs: 120_000, everyMs: 200 },
  );
}

/** What was not accepted was answered as a problem that says so. */
export function expectUnavailable(answers: readonly Answer[]): void {
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 503, body: { status: 503, retryable: true } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  }
}
