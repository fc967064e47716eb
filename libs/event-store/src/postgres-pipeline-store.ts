import type { PipelineStore, PipelineVersionRecord } from '#libs/engine';
import { Gathering, oncePerQuestion } from './append/gathering.js';
import { retryContention } from './append/retry-contention.js';
import type { Database } from './connect.js';
import { applyPipelineVersion, findCanary, findPipelineVersion } from './operations/pipeline-versions.js';

/** Pipelines and their immutable versions on Postgres. */
export function postgresPipelineStore(db: Database): PipelineStore {
  // Runs that start at the same time mostly ask for the same: it is read once for all of them.
  const versions = new Gathering<VersionQuestion, PipelineVersionRecord | null>(
    oncePerQuestion((question) => db.run((sql) => findPipelineVersion(sql, ...question))),
  );
  const canaries = new Gathering<CanaryQuestion, Canary>(
    oncePerQuestion((question) => db.run((sql) => findCanary(sql, ...question))),
  );
  return {
    applyVersion: (input) =>
      db.run((sql) => retryContention(() => sql.begin((session) => applyPipelineVersion(session, input)))),
    getVersion: (...question) => versions.ask(question),
    getCanary: (...question) => canaries.ask(question),
  };
}

type VersionQuestion = Parameters<PipelineStore['getVersion']>;
type CanaryQuestion = Parameters<PipelineStore['getCanary']>;
type Canary = Awaited<ReturnType<PipelineStore['getCanary']>>;
