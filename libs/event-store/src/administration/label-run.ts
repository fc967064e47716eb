import type { Kysely } from 'kysely';
import type { JsonObject } from '#libs/domain';
import type { DatabaseSchema } from '../schema/database-schema.js';

type Label = {
  projectId: string;
  runId: string;
  tags?: readonly string[];
  metadata?: JsonObject;
  priority?: number;
};

/** Replaces tags, metadata, priority; the priority also of its steps that are not in the queue yet. False when the project has no such run. */
export async function labelRun(db: Kysely<DatabaseSchema>, run: Label): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await relabel(tx, run))) return false;
    if (run.priority === undefined) return true;
    await tx
      .updateTable('step_run')
      .set({ priority: run.priority })
      .where('project_id', '=', run.projectId)
      .where('run_id', '=', run.runId)
      .where('in_outbox', '=', true)
      .execute();
    return true;
  });
}

async function relabel(db: Kysely<DatabaseSchema>, run: Label): Promise<boolean> {
  const { priority } = run;
  if (run.tags === undefined && run.metadata === undefined && priority === undefined) return true;
  const updated = await db
    .updateTable('run')
    .set({
      ...(run.tags === undefined ? {} : { tags: [...new Set(run.tags)] }),
      ...(run.metadata === undefined ? {} : { metadata: run.metadata }),
      ...(priority === undefined ? {} : { priority }),
    })
    .where('project_id', '=', run.projectId)
    .where('run_id', '=', run.runId)
    .returning('run_id')
    .executeTakeFirst();
  return updated !== undefined;
}
