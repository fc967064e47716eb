import { BEGINNINGS } from '#libs/domain';
import type { StepRunRecord } from '#libs/engine';
import type { Session } from '../session.js';

/** Position of the last event about the step but of beginnings, 0 when there is none: whether a worker got anywhere before it died. */
export async function readLastPosition(
  session: Session,
  step: Pick<StepRunRecord, 'projectId' | 'runId' | 'stepId' | 'item'>,
): Promise<number> {
  const [row] = await session<{ position: number }[]>`
    select position from event
    where project_id = ${step.projectId} and run_id = ${step.runId} and step_id = ${step.stepId} and item is not distinct from ${step.item}::integer
      and type <> all(${[...BEGINNINGS]})
    order by xact desc, position desc limit 1`;
  return row?.position ?? 0;
}
