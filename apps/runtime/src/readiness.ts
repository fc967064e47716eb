/** What a process needs in order to do its work, as `/health/ready` shows it. */
export type ReadinessCheck = {
  name: string;
  /** Never throws. `detail` is a sentence for operators: what is wrong and what would be right. */
  check: () => Promise<{ ok: boolean; detail: string }>;
};

export type ReadinessReport = { ready: boolean; checks: { [name: string]: { ok: boolean; detail: string } } };

/** Whoever asks (a kubelet, a load balancer) has given up soon after. */
const ANSWER_MS = 2000;

export async function readinessOf(checks: readonly ReadinessCheck[], answerMs = ANSWER_MS): Promise<ReadinessReport> {
  const results = await Promise.all(checks.map(async (check) => [check.name, await inTime(check, answerMs)] as const));
  return { ready: results.every(([, { ok }]) => ok), checks: Object.fromEntries(results) };
}

async function inTime({ check }: ReadinessCheck, answerMs: number): ReturnType<ReadinessCheck['check']> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ ok: false; detail: string }>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, detail: `no answer within ${answerMs} ms` }), answerMs);
  });
  try {
    return await Promise.race([check(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A check that is asked again before it has answered is not asked twice: questions to a silent server would pile up. */
export function askedOnce(check: ReadinessCheck): ReadinessCheck {
  let underWay: ReturnType<ReadinessCheck['check']> | null = null;
  return {
    name: check.name,
    check: () => {
      underWay ??= check.check().finally(() => {
        underWay = null;
      });
      return underWay;
    },
  };
}
