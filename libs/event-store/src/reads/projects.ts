import type { PageRequest, ReadDatabase } from './read-database.js';

export type ProjectRecord = { projectId: string; name: string; createdAt: string };

const columns = ['project_id as projectId', 'name', 'created_at as createdAt'] as const;

export async function findProject(db: ReadDatabase, projectId: string): Promise<ProjectRecord | null> {
  const found = await db.selectFrom('project').select(columns).where('project_id', '=', projectId).executeTakeFirst();
  return found ?? null;
}

export async function listProjects(db: ReadDatabase, page: PageRequest<string>): Promise<ProjectRecord[]> {
  let query = db.selectFrom('project').select(columns).orderBy('project_id');
  if (page.after !== null) query = query.where('project_id', '>', page.after);
  return query.limit(page.limit + 1).execute();
}
