/** What a process needs in order to do its work, as `/health/ready` shows it. */
export type ReadinessCheck = {
  name: string;
  /** Never throws. `detail` is a sentence for operators: what is wrong and what would be right. */
  check: () => Promise<{ ok: boolean; detail: string }>;
};

export type ReadinessReport = { ready: boolean; checks: { [name: string]: { ok: boolean; detail: string } } };

export async function readinessOf(checks: readonly ReadinessCheck[]): Promise<ReadinessReport> {
  const results = await Promise.all(checks.map(async ({ name, check }) => [name, await check()] as const));
  return { ready: results.every(([, { ok }]) => ok), checks: Object.fromEntries(results) };
}
