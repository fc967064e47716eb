import { Installation, PROJECT } from './installation.js';
import { startOpenAiServer } from './providers/openai-server.js';
import { testQueue } from './test-services.js';
import { waitFor } from './wait-for.js';

const ALLOWED = 60;
const WORKERS = 4;
/** Few, so that steps which held one while they wait would be seen: the others could not come so far. */
const SLOTS_OF_A_WORKER = 2;
export const SLOTS = WORKERS * SLOTS_OF_A_WORKER;

/** What came of it: `usedShare` 1 is the allowance used as fast as it comes, with no moment lost. */
export type Shared = {
  statuses: Set<string>;
  attempts: Set<number>;
  requests: number;
  /** How many steps waited for their share at once. */
  waiting: number;
  /** How a run on a model without limits ended while others waited, and how many still did when it had. */
  beside: { status: string; waiting: number };
  /**
   * The most requests that arrived within a minute less a twelfth: they arrive some time after they were granted, later on
   * a busy machine. That no minute grants more is a law of the bucket (`limit-bucket.laws.spec.ts`).
   */
  mostAtOnce: number;
  usedShare: number;
};

type Asked = {
  /** How long the limiter's minute is. */
  minuteMs: number;
  /** How many requests more than a minute allows; `seen` of them wait at once before the test goes on. */
  over: number;
  seen: number;
};

/** 60 requests a minute for 4 workers. The installation and its servers are gone when it returns. */
export async function shareOfAMinute({ minuteMs, over, seen }: Asked): Promise<Shared> {
  const arrivals: number[] = [];
  const [server, freeServer] = await Promise.all([startOpenAiServer(), startOpenAiServer()]);
  const queue = await testQueue();
  const environment = {
    ...(queue.redisUrl === null ? {} : { REDIS_URL: queue.redisUrl }),
    WEIR_QUEUE_BACKEND: queue.backend,
    WEIR_QUEUE_PREFIX: queue.prefix,
    WEIR_LEASE_S: '45',
    WEIR_LIMIT_MINUTE_S: String(minuteMs / 1000),
    WEIR_WORKER_CONCURRENCY: String(SLOTS_OF_A_WORKER),
    WEIR_POOL_SIZE: '4',
  };
  const connection = (url: string): string =>
    `provider: openai, base_url: "${url}/v1", api_key: none, allow_private_addresses: true`;
  const installation = await Installation.open(
    environment,
    `connections:
  limited: { ${connection(server.url)}, limits: { requests_per_minute: ${ALLOWED} } }
  free: { ${connection(freeServer.url)} }`,
  );
  try {
    for (const name of ['limited', 'free'])
      await installation.applyDocument({
        name,
        inputs: { n: { type: 'integer' } },
        agents: { a: { model: `${name}:m` } },
        steps: [{ id: 'ask', agent: 'a', task: '${inputs.n}' }],
      });
    const answer = () => {
      arrivals.push(Date.now());
      return { kind: 'answer' as const, text: 'ok' };
    };
    server.reply(...Array.from({ length: ALLOWED + over }, () => answer));
    await Promise.all(Array.from({ length: WORKERS }, () => installation.worker()));
    const runIds: string[] = [];
    while (runIds.length < ALLOWED + over) {
      const batch = Array.from({ length: 10 }, (_, n) => installation.start('limited', runIds.length + n));
      runIds.push(...(await Promise.all(batch)));
    }

    const waiting = await waitFor(
      async () => {
        const count = await waitingSteps(installation);
        return count >= seen ? count : null;
      },
      { what: `${seen} steps that wait`, timeoutMs: 120_000 },
    );
    const free = await installation.ended(await installation.start('free', 0));
    const beside = { status: free.status, waiting: await waitingSteps(installation) };

    const ended = [];
    for (const runId of runIds) ended.push(await installation.ended(runId, 400_000));
    const steps = (
      await Promise.all(runIds.map((runId) => installation.accepting.engine.runs.stepRunsOf(PROJECT, runId)))
    ).flat();
    const idealMs = Math.floor((ALLOWED + over - 1) / ALLOWED) * minuteMs;
    return {
      statuses: new Set(ended.map(({ status }) => status)),
      attempts: new Set(steps.map(({ attempt }) => attempt)),
      requests: server.requests.length,
      waiting,
      beside,
      mostAtOnce: mostWithin(arrivals, (minuteMs * 11) / 12),
      usedShare: idealMs / (Math.max(...arrivals) - Math.min(...arrivals)),
    };
  } finally {
    await installation.close();
    await Promise.all([server.stop(), freeServer.stop()]);
  }
}

async function waitingSteps({ accepting }: Installation): Promise<number> {
  const [row] = await accepting.database.run(
    (sql) =>
      sql<{ n: number }[]>`select count(*)::int as n from step_run where status = 'waiting' and reason = 'rate_limit'`,
  );
  return row?.n ?? 0;
}

function mostWithin(times: readonly number[], ms: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + ms).length));
}
