import { waitFor } from '../../support/index.js';
import type { Answer, Deployment } from './deployment.js';

/** A client that does as it is told: on 503 or a cut connection it starts `order` again with the same key. Returns the run's id. */
export async function orderStubbornly(deployment: Deployment, n: number, refused: Answer[]): Promise<string> {
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
