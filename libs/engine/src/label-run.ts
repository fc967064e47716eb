import type { JsonObject } from '#libs/domain';
import { RunRecorder } from './advance/run-recorder.js';
import type { EngineDeps } from './engine-deps.js';
import { redactedObject } from './redacted-object.js';

/** What is given replaces what was there. */
type Labels = { tags?: readonly string[]; metadata?: JsonObject; priority?: number };

/** Tags, metadata and priority of a run; the priority also of its steps that are not in the queue yet. False: there is no such run. */
export async function labelRun(
  deps: Pick<EngineDeps, 'runs' | 'redact' | 'newId'>,
  at: { projectId: string; runId: string },
  labels: Labels,
): Promise<boolean> {
  return deps.runs.transact(async (tx) => {
    const run = await tx.lockRun(at.projectId, at.runId);
    if (run === null) return false;
    const { tags, metadata, priority } = labels;
    const given = {
      ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
      ...(metadata === undefined ? {} : { metadata: redactedObject(deps, metadata) }),
      ...(priority === undefined ? {} : { priority }),
    };
    if (Object.keys(given).length === 0) return true;
    const before = await tx.read({ ...at, streamId: run.streamId, types: ['RunLabelled'] });
    const recorder = new RunRecorder(deps, run);
    recorder.ofRun('RunLabelled', [before.length], given);
    await tx.updateRun(at.projectId, at.runId, given);
    await recorder.flush(tx);
    return true;
  });
}
