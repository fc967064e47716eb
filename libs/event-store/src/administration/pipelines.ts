import { sql, type Kysely } from 'kysely';
import type { DatabaseSchema } from '../schema/database-schema.js';
import { recordAudit } from './audit.js';

type Place = { projectId: string; name: string; actor: string };

type Alias = Place & { alias: string; version: number; weight: number };

/** Points an alias at a version. False when the pipeline has no such version. */
export async function setPipelineAlias(db: Kysely<DatabaseSchema>, alias: Alias): Promise<boolean> {
  const { projectId, actor, name, version, weight } = alias;
  return db.transaction().execute(async (tx) => {
    if (!(await isVersion(tx, alias))) return false;
    await tx
      .insertInto('pipeline_alias')
      .values({ project_id: projectId, name, alias: alias.alias, version, weight })
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'name', 'alias']).doUpdateSet({ version, weight, updated_at: sql`now()` }),
      )
      .execute();
    const detail = { alias: alias.alias, version, weight };
    await recordAudit(tx, { projectId, actor, action: 'pipeline.alias_set', subject: name, detail });
    return true;
  });
}

async function isVersion(db: Kysely<DatabaseSchema>, { projectId, name, version }: Alias): Promise<boolean> {
  const found = await db
    .selectFrom('pipeline_version')
    .innerJoin('pipeline', (join) =>
      join
        .onRef('pipeline.project_id', '=', 'pipeline_version.project_id')
        .onRef('pipeline.name', '=', 'pipeline_version.name'),
    )
    .select('pipeline_version.version')
    .where('pipeline_version.project_id', '=', projectId)
    .where('pipeline_version.name', '=', name)
    .where('pipeline_version.version', '=', version)
    .where('pipeline.deleted_at', 'is', null)
    .executeTakeFirst();
  return found !== undefined;
}

/** Runs go on: they are pinned to their version. No new ones start. False when there is no such pipeline. */
export async function deletePipeline(db: Kysely<DatabaseSchema>, place: Place): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const deleted = await tx
      .updateTable('pipeline')
      .set({ deleted_at: sql`now()` })
      .where('project_id', '=', place.projectId)
      .where('name', '=', place.name)
      .where('deleted_at', 'is', null)
      .returning('name')
      .executeTakeFirst();
    if (deleted === undefined) return false;
    await tx
      .deleteFrom('pipeline_alias')
      .where('project_id', '=', place.projectId)
      .where('name', '=', place.name)
      .execute();
    await recordAudit(tx, {
      projectId: place.projectId,
      actor: place.actor,
      action: 'pipeline.deleted',
      subject: place.name,
      detail: {},
    });
    return true;
  });
}
