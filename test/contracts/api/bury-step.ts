import type { TestApi } from './test-api.js';

/**
 * Leaves the step of a run as one whose worker died three times in a row; returns the id of its dead letter. What the
 * sweeper makes of real deaths is another test's.
 */
export async function buryStep(api: TestApi, run: string): Promise<string> {
  for (let death = 0; death < 3; death += 1) {
    await api.database.run(
      (sql) =>
        sql`update step_run set status = 'running', fence = fence + 1, stalls = ${death}, stall_position = 9007199254740991, worker_id = 'gone', lease_until = now() - interval '1 minute' where run_id = ${run}`,
    );
    await api.sweep();
  }
  const listed = await api.ask('/v1/admin/dead-letters');
  const letter = listed.body.data.find(({ run_id }: { run_id: string }) => run_id === run);
  expect(letter?.id).toEqual(expect.any(String));
  return letter.id;
}
