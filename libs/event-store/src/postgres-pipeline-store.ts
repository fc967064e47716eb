import type { PipelineStore } from '#libs/engine';
import { retryContention } from './append/retry-contention.js';
import type { Database } from './connect.js';
import { applyPipelineVersion, findCanary, findPipelineVersion } from './operations/pipeline-versions.js';

/** Pipelines and their immutable versions on Postgres. */
export function postgresPipelineStore(db: Database): PipelineStore {
  return {
    applyVersion: (input) =>
      db.run((sql) => retryContention(() => sql.begin((session) => applyPipelineVersion(session, input)))),
    getVersion: (projectId, name, version) => db.run((sql) => findPipelineVersion(sql, projectId, name, version)),
    getCanary: (projectId, name) => db.run((sql) => findCanary(sql, projectId, name)),
  };
}
