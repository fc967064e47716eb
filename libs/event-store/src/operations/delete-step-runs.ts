import type { Session } from '../session.js';

/** Their waits go with them. */
export async function deleteStepRuns(
  session: Session,
  projectId: string,
  stepRunIds: readonly string[],
): Promise<void> {
  if (stepRunIds.length === 0) return;
  await session`delete from step_run where project_id = ${projectId} and step_run_id in ${session([...stepRunIds])}`;
}
