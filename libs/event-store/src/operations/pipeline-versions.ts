import type { PipelineAliases, PipelineStore, PipelineVersionRecord } from '#libs/engine';
import { toStoredJson } from '../encoding/stored-json.js';
import type { Session } from '../session.js';

type NewVersion = Parameters<PipelineStore['applyVersion']>[0];

/** In a transaction. The upsert locks the pipeline's row, so that two appliers number their versions one after the other. */
export async function applyPipelineVersion(
  session: Session,
  input: NewVersion,
): Promise<{ version: number; created: boolean }> {
  const { projectId, name } = input;
  const [pipeline] = await session<{ latest_version: number }[]>`
    insert into pipeline as p (project_id, name) values (${projectId}, ${name})
    on conflict (project_id, name) do update set deleted_at = null returning latest_version`;
  const latest = pipeline?.latest_version ?? 0;
  const [same] = await session`
    select 1 from pipeline_version
    where project_id = ${projectId} and name = ${name} and version = ${latest} and content_hash = ${input.contentHash}`;
  const version = same === undefined ? latest + 1 : latest;
  if (same === undefined) {
    await session`
      insert into pipeline_version (project_id, name, version, document, content_hash)
      values (${projectId}, ${name}, ${version}, (${toStoredJson(input.document) ?? 'null'}::text)::jsonb, ${input.contentHash})`;
    await session`update pipeline set latest_version = ${version} where project_id = ${projectId} and name = ${name}`;
  }
  if (input.promote) {
    await session`
      insert into pipeline_alias (project_id, name, alias, version) values (${projectId}, ${name}, 'live', ${version})
      on conflict (project_id, name, alias) do update set version = excluded.version, updated_at = now()
        where pipeline_alias.version <> excluded.version`;
  }
  return { version, created: same === undefined };
}

/** `version` null: what `live` points to. Versions of a deleted pipeline stay readable, `live` does not: runs are pinned. */
export async function findPipelineVersion(
  session: Session,
  projectId: string,
  name: string,
  version: number | null,
): Promise<PipelineVersionRecord | null> {
  const [row] = await session<PipelineVersionRecord[]>`
    select v.project_id as "projectId", v.name, v.version, v.document, v.content_hash as "contentHash", v.created_at as "createdAt"
    from pipeline_version v
    where v.project_id = ${projectId} and v.name = ${name}
      and v.version = coalesce(${version}::integer, (
        select a.version from pipeline_alias a join pipeline p on p.project_id = a.project_id and p.name = a.name and p.deleted_at is null
        where a.project_id = ${projectId} and a.name = ${name} and a.alias = 'live'))`;
  return row === undefined ? null : { ...row };
}

/** A canary without weight is none. */
export async function findAliases(session: Session, projectId: string, name: string): Promise<PipelineAliases> {
  const rows = await session<{ alias: string; version: number; weight: number }[]>`
    select a.alias, a.version, a.weight from pipeline_alias a
    join pipeline p on p.project_id = a.project_id and p.name = a.name and p.deleted_at is null
    where a.project_id = ${projectId} and a.name = ${name} and (a.alias = 'live' or a.alias = 'canary' and a.weight > 0)`;
  const live = rows.find(({ alias }) => alias === 'live');
  const canary = rows.find(({ alias }) => alias === 'canary');
  return {
    live: live?.version ?? null,
    canary: canary === undefined ? null : { version: canary.version, weight: canary.weight },
  };
}
