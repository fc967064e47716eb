import type { Kysely } from 'kysely';
import type { ProjectRecord } from '../reads/projects.js';
import type { DatabaseSchema } from '../schema/database-schema.js';
import { recordAudit } from './audit.js';

export type NewProject = { projectId: string; name: string; actor: string };

/** Null when a project of that id exists. */
export async function createProject(db: Kysely<DatabaseSchema>, project: NewProject): Promise<ProjectRecord | null> {
  return db.transaction().execute(async (tx) => {
    const created = await tx
      .insertInto('project')
      .values({ project_id: project.projectId, name: project.name })
      .onConflict((conflict) => conflict.column('project_id').doNothing())
      .returning(['project_id as projectId', 'name', 'created_at as createdAt'])
      .executeTakeFirst();
    if (created === undefined) return null;
    await recordAudit(tx, {
      projectId: project.projectId,
      actor: project.actor,
      action: 'project.created',
      subject: project.projectId,
      detail: { name: project.name },
    });
    return created;
  });
}
