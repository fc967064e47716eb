import type { AppProcess } from './support/app-process.js';
import type { Deployment } from './support/deployment.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';

const REQUESTS = 100;

type Answered = { status: number; id: string | undefined; replayed: string | null };

/** A hundred clients with the same key at once, spread over the processes; null: the connection was cut. */
async function startTogether(
  { apiKey }: Deployment,
  apis: readonly AppProcess[],
  key: string,
): Promise<(Answered | null)[]> {
  const one = async (index: number): Promise<Answered | null> => {
    try {
      const response = await fetch(`${apis[index % apis.length]?.url}/v1/pipelines/plain/runs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ inputs: { n: 21 } }),
      });
      const { id } = (await response.json()) as { id?: string };
      return { id, status: response.status, replayed: response.headers.get('idempotency-replayed') };
    } catch (error) {
      // What a client sees of a process that was killed.
      if ((error as Error).message === 'fetch failed') return null;
      throw error;
    }
  };
  return Promise.all(Array.from({ length: REQUESTS }, (_, index) => one(index)));
}

scenario('a hundred requests with one key start one run, also while a process is killed', {
  deployment: { apis: 2, workers: 1 },
  run: async ({ deployment, tell }) => {
    await deployment.apply({
      name: 'plain',
      inputs: { n: { type: 'integer', required: true } },
      steps: [{ id: 'double', transform: { n: '${inputs.n * 2}' } }],
      output: '${steps.double.output.n}',
    });
    const quiet = await startTogether(deployment, deployment.apis, 'quiet');
    expect(new Set(quiet.map((answer) => answer?.id)).size).toBe(1);
    expect(quiet.map((answer) => answer?.status)).toEqual(quiet.map(() => 202));
    expect(quiet.filter((answer) => answer?.replayed !== 'true')).toHaveLength(1);

    const [, second] = deployment.apis;
    const asking = startTogether(deployment, deployment.apis, 'killed');
    await second?.kill();
    const disturbed = await asking;
    await second?.start();
    const again = await startTogether(deployment, deployment.apis, 'killed');
    const answered = [...disturbed, ...again].filter((answer) => answer !== null);
    tell(`${disturbed.filter((answer) => answer === null).length} of ${REQUESTS} requests were cut`);
    expect(answered.filter(({ status }) => status !== 202)).toEqual([]);
    expect(again.every((answer) => answer !== null)).toBe(true);
    expect(new Set(answered.map(({ id }) => id)).size).toBe(1);

    const runIds = [quiet[0]?.id ?? '', answered[0]?.id ?? ''];
    const runs = await deployment.ended(runIds);
    expect(runs.map(({ output }) => output)).toEqual([42, 42]);
    const [stored] = await deployment.database.sql<{ runs: number }[]>`select count(*)::int as runs from run`;
    expect(stored?.runs).toBe(2);
    await expectSound(deployment, runIds);
  },
});
