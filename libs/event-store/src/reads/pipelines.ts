import { sql } from 'kysely';
import type { Json } from '#libs/domain';
import type { PageRequest, ReadDatabase } from './read-database.js';

export type PipelineAliasRecord = { alias: string; version: number; weight: number; updatedAt: string };
export type PipelineRecord = { name: string; latestVersion: number; createdAt: string; aliases: PipelineAliasRecord[] };
export type PipelineVersionSummary = { version: number; contentHash: string; createdAt: string };
export type PipelineVersionDetail = PipelineVersionSummary & { name: string; document: Json };

type Place = { projectId: string; name: string };

/** Deleted ones are left out. */
export async function listPipelines(
  db: ReadDatabase,
  projectId: string,
  page: PageRequest<string>,
): Promise<PipelineRecord[]> {
  let query = pipelineQuery(db, projectId).orderBy('pipeline.name');
  if (page.after !== null) query = query.where('pipeline.name', '>', page.after);
  return query.limit(page.limit + 1).execute();
}

export async function findPipeline(db: ReadDatabase, { projectId, name }: Place): Promise<PipelineRecord | null> {
  const found = await pipelineQuery(db, projectId).where('pipeline.name', '=', name).executeTakeFirst();
  return found ?? null;
}

function pipelineQuery(db: ReadDatabase, projectId: string) {
  return db
    .selectFrom('pipeline')
    .select(['pipeline.name', 'pipeline.latest_version as latestVersion', 'pipeline.created_at as createdAt'])
    .select(aliasesOf)
    .where('pipeline.project_id', '=', projectId)
    .where('pipeline.deleted_at', 'is', null)
    .where('pipeline.latest_version', '>', 0);
}

const aliasesOf = sql<PipelineAliasRecord[]>`(
  select coalesce(jsonb_agg(jsonb_build_object(
    'alias', a.alias, 'version', a.version, 'weight', a.weight,
    'updatedAt', to_char(a.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) order by a.alias), '[]')
  from pipeline_alias a where a.project_id = pipeline.project_id and a.name = pipeline.name)`.as('aliases');

/** Newest first. */
export async function listPipelineVersions(
  db: ReadDatabase,
  { projectId, name }: Place,
  page: PageRequest<number>,
): Promise<PipelineVersionSummary[]> {
  let query = db
    .selectFrom('pipeline_version')
    .select(['version', 'content_hash as contentHash', 'created_at as createdAt'])
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .orderBy('version', 'desc');
  if (page.after !== null) query = query.where('version', '<', page.after);
  return query.limit(page.limit + 1).execute();
}

/** Of a deleted pipeline too: runs are pinned to versions. */
export async function findPipelineVersion(
  db: ReadDatabase,
  { projectId, name }: Place,
  version: number,
): Promise<PipelineVersionDetail | null> {
  const found = await db
    .selectFrom('pipeline_version')
    .select(['name', 'version', 'content_hash as contentHash', 'created_at as createdAt', 'document'])
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .where('version', '=', version)
    .executeTakeFirst();
  return found ?? null;
}
