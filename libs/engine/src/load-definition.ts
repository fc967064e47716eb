import { parsePipeline, TerminalError, type PipelineDefinition, type PipelineFacts } from '#libs/domain';
import type { EngineDeps } from './engine-deps.js';

/** Versions never change, so a parsed one is good for the life of the process. Bounded: the oldest goes first. */
const parsed = new WeakMap<object, Map<string, PipelineDefinition>>();
const MAX_PARSED = 500;

type LoadDeps = Pick<EngineDeps, 'pipelines' | 'pipelineFacts'>;

/**
 * The pinned version of a run's pipeline.
 * @throws TerminalError `pipeline_unreadable` when this build cannot read what an older or newer one accepted.
 */
export async function loadDefinition(
  deps: LoadDeps,
  projectId: string,
  name: string,
  version: number,
): Promise<PipelineDefinition> {
  const definition = await findDefinition(deps, projectId, name, version);
  if (definition !== null) return definition;
  const detail = `version ${version} of pipeline ${name} is not stored`;
  throw new TerminalError('pipeline_missing', detail, { name, version });
}

/** Null: it is not stored. @throws TerminalError `pipeline_unreadable` as `loadDefinition` does. */
export async function findDefinition(
  deps: LoadDeps,
  projectId: string,
  name: string,
  version: number,
): Promise<PipelineDefinition | null> {
  const cache = parsed.get(deps.pipelines) ?? new Map<string, PipelineDefinition>();
  parsed.set(deps.pipelines, cache);
  const key = JSON.stringify([projectId, name, version]);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const record = await deps.pipelines.getVersion(projectId, name, version);
  if (record === null) return null;
  const definition = readStored(deps.pipelineFacts, record.document, name, version);
  if (cache.size >= MAX_PARSED) cache.delete(cache.keys().next().value ?? key);
  cache.set(key, definition);
  return definition;
}

function readStored(facts: PipelineFacts, document: unknown, name: string, version: number): PipelineDefinition {
  // What was accepted once is not refused because the operator's settings changed since: a missing connection is an error of the step that needs it.
  const result = parsePipeline(document, { ...facts, connections: null, plugins: null, mcpServers: null });
  if (result.ok) return result.definition;
  const first = result.errors[0];
  throw new TerminalError(
    'pipeline_unreadable',
    `version ${version} of ${name} cannot be read by this Weir: ${first?.path ?? ''}: ${first?.detail ?? 'unknown'}`,
    { name, version },
  );
}
