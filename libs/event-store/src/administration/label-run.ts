import type { Kysely } from 'kysely';
import type { JsonObject } from '#libs/domain';
import type { DatabaseSchema } from '../schema/database-schema.js';

/** Replaces tags, metadata or both. False when the project has no such run. */
export async function labelRun(
  db: Kysely<DatabaseSchema>,
  run: { projectId: string; runId: string; tags?: readonly string[]; metadata?: JsonObject },
): Promise<boolean> {
  const updated = await db
    .updateTable('run')
    .set({
      ...(run.tags === undefined ? {} : { tags: [...new Set(run.tags)] }),
      ...(run.metadata === undefined ? {} : { metadata: run.metadata }),
    })
    .where('project_id', '=', run.projectId)
    .where('run_id', '=', run.runId)
    .returning('run_id')
    .executeTakeFirst();
  return updated !== undefined;
}
