import { buildContext, type BuildResult } from '#libs/context';
import type { PreviewEnd } from './preview-stream.js';
import { policyHashOf } from './simulate-call.js';

/** The context that the next call of a previewed view would see. */
export function buildNext({ stream, manifest, runId, cutoffSeq }: PreviewEnd): BuildResult {
  return buildContext({
    events: stream.events,
    view: { mode: manifest.policy['mode'] === 'fresh' ? 'fresh' : 'inherit', runId, cutoffSeq },
    manifest,
    policyHash: policyHashOf(manifest.policy),
    memory: null,
    uptoSeq: stream.version,
    runActive: true,
    purpose: 'no_wait',
  });
}
