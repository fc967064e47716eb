import type { EffectivePolicy, Manifest, ModelFacts } from '#libs/context';
import type { JsonObject, StoredEventOf } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { storedManifest } from '../manifest.js';
import { readMemory } from '../memory.js';
import { previewStream, type PreviewedStream } from './preview-stream.js';

export type StoredPreview = {
  projectId: string;
  rootStream: string;
  subStream: string;
  policy: EffectivePolicy;
  model: ModelFacts | null;
  runId: string | null;
  /** Seq in the sub-stream; null: all of it. */
  uptoSeq: number | null;
};

type PreviewDeps = Pick<EngineDeps, 'log'>;

/** Reads a stored sub-stream with the manifests and memories of its calls, and previews it under another policy. */
export async function previewStored(deps: PreviewDeps, question: StoredPreview): Promise<PreviewedStream> {
  const { projectId, subStream, uptoSeq, policy, model, runId } = question;
  const bound = uptoSeq === null ? {} : { uptoSeq };
  const events = await deps.log.read({ projectId, streamId: subStream, ...bound });
  const calls = events.filter((event) => event.type === 'LlmCallStarted');
  const manifests = await manifestsOf(deps, projectId, calls);
  const memories =
    policy.memory.placement === 'before_tail' ? await memoriesOf(deps, question) : new Map<string, JsonObject>();
  return previewStream({
    events,
    policy,
    model,
    runId,
    manifestOf: (started) => manifests.get(started.data.manifest) ?? null,
    memoryOf: (run) => (run === null ? null : (memories.get(run) ?? null)),
  });
}

async function manifestsOf(
  deps: PreviewDeps,
  projectId: string,
  calls: readonly StoredEventOf<'LlmCallStarted'>[],
): Promise<Map<string, Manifest>> {
  const manifests = new Map<string, Manifest>();
  for (const hash of new Set(calls.map(({ data }) => data.manifest))) {
    const manifest = await storedManifest(deps, projectId, hash);
    if (manifest !== null) manifests.set(hash, manifest);
  }
  return manifests;
}

/** By run: the stream's memory when its steps began. */
async function memoriesOf(
  deps: PreviewDeps,
  { projectId, rootStream }: StoredPreview,
): Promise<Map<string, JsonObject>> {
  const memories = new Map<string, JsonObject>();
  for (const event of await deps.log.read({ projectId, streamId: rootStream, types: ['StepStarted'] })) {
    if (event.type !== 'StepStarted' || event.runId === null || memories.has(event.runId)) continue;
    const { memory_seq: memorySeq } = event.data;
    memories.set(event.runId, await readMemory(deps.log, projectId, rootStream, memorySeq ?? 0));
  }
  return memories;
}
