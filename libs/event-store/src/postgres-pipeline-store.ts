import type { PipelineAliases, PipelineStore, PipelineVersionRecord } from '#libs/engine';
import { Gathering, oncePerQuestion } from './append/gathering.js';
import { retryContention } from './append/retry-contention.js';
import type { Database } from './connect.js';
import { applyPipelineVersion, findAliases, findPipelineVersion } from './operations/pipeline-versions.js';

/** Pipelines and their immutable versions on Postgres. */
export function postgresPipelineStore(db: Database): PipelineStore {
  // Runs that start at the same time mostly ask for the same: it is read once for all of them.
  const versions = new Gathering<VersionQuestion, PipelineVersionRecord | null>(
    oncePerQuestion((question) => db.run((sql) => findPipelineVersion(sql, ...question))),
  );
  const aliases = new Gathering<AliasesQuestion, PipelineAliases>(
    oncePerQuestion((question) => db.run((sql) => findAliases(sql, ...question))),
  );
  return {
    applyVersion: (input) =>
      db.run((sql) => retryContention(() => sql.begin((session) => applyPipelineVersion(session, input)))),
    getVersion: (...question) => versions.ask(question),
    getAliases: (...question) => aliases.ask(question),
  };
}

type VersionQuestion = Parameters<PipelineStore['getVersion']>;
type AliasesQuestion = Parameters<PipelineStore['getAliases']>;
