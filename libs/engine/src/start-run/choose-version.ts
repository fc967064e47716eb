import type { EngineDeps } from '../engine-deps.js';
import { sha256 } from '../new-event.js';

/**
 * The version of a new run that names none: the one that `live` points to, or by its weight the canary's. A stream always gets the
 * same one while the weight stays, so that a conversation is not thrown between two versions; runs without one are drawn. Null:
 * there is none.
 */
export async function chooseVersion(
  deps: Pick<EngineDeps, 'pipelines' | 'random'>,
  run: { projectId: string; pipeline: string; streamId: string | null },
): Promise<number | null> {
  const { live, canary } = await deps.pipelines.getAliases(run.projectId, run.pipeline);
  if (canary === null) return live;
  const draw = run.streamId === null ? deps.random() * 100 : percentOf(`${run.pipeline}/${run.streamId}`);
  return draw < canary.weight ? canary.version : live;
}

/** 0 (incl.) to 100 (excl.), evenly spread. */
const percentOf = (text: string): number => (Number.parseInt(sha256(text).slice(0, 8), 16) / 2 ** 32) * 100;
