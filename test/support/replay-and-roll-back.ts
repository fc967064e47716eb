import { buildContext, compactionState, effectivePolicy, policyJson } from '../../libs/context/src/index.js';
import { jsonSchema, subStreamId, type Json, type StoredEvent } from '../../libs/domain/src/index.js';
import { REPLAY_STEP, rebuildCall, reviewCalls, rollBackCompaction } from '../../libs/engine/src/index.js';
import { PROJECT, type EngineHarness } from './engine-harness.js';
import { playRecording } from './play-session.js';
import { readTranscript, type TranscriptName } from '../matrix/transcripts.js';

const STREAM = 'everything';
const SUB_STREAM = subStreamId(STREAM, REPLAY_STEP, null);
const VIEW = { mode: 'inherit', runId: null, cutoffSeq: null } as const;

/** One transcript of all of them, the prompts of their agents left out. */
function oneSession(names: readonly TranscriptName[]): Json {
  const sessions = names.map((name) => readTranscript(name));
  const messages = sessions.flatMap((session) => session.messages.filter(({ role }) => role !== 'system'));
  return jsonSchema.parse(JSON.parse(JSON.stringify({ messages })));
}

const verdictsOf = async (harness: EngineHarness): Promise<{ [verdict: string]: number }> => {
  const { calls } = await reviewCalls(harness.deps, { projectId: PROJECT, rootStream: STREAM, subStream: SUB_STREAM });
  const counts = new Map<string, number>();
  for (const { verdict } of calls) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return Object.fromEntries(counts);
};

/** What the next call would be sent without any cap: summaries, and everything else whole. */
async function uncapped(harness: EngineHarness, events: readonly StoredEvent[]) {
  const last = events.findLast((event) => event.type === 'LlmCallStarted');
  const at = { projectId: PROJECT, runId: last?.runId ?? '', stepId: REPLAY_STEP, item: null };
  const callNo = last?.type === 'LlmCallStarted' ? last.data.call_no : 0;
  const manifest = (await rebuildCall(harness.deps, { ...at, callNo, try: null }))?.manifest;
  if (manifest == null) throw new Error('the last call has no manifest');
  const policy = policyJson(effectivePolicy({ step: { window: 'off' } }, false));
  const build = buildContext({
    ...{ events, view: VIEW, policyHash: 'uncapped', memory: null, uptoSeq: Infinity, runActive: false },
    manifest: { ...manifest, policy },
    purpose: 'no_wait',
  });
  if (build.kind !== 'ready') throw new Error(`the build is ${build.kind}`);
  return build;
}

/**
 * Recorded sessions one after the other on one stream, through queue, step and compactor; then every compaction of it is
 * rolled back, the newest first. Expects: no hard-cap failure, contexts as previewed; the raw events after each roll back; and
 * that all calls rebuild to their recorded hashes before and after.
 */
export async function replayAndRollBack(
  harness: EngineHarness,
  names: readonly TranscriptName[],
  context: object,
): Promise<{ calls: number; compactions: number }> {
  const recording = { pipeline: STREAM, body: oneSession(names) };
  const { ends, hashes, previewed } = await playRecording(harness, recording, context, 'openai_chat');
  expect(hashes).toEqual(previewed);
  expect(ends.map(({ status }) => status)).toEqual(ends.map(({ recorded }) => recorded));
  let events = await harness.events(SUB_STREAM);
  expect(events.filter(({ type }) => type === 'HardCapExceeded')).toEqual([]);
  const applied = compactionState(events, VIEW).applied;
  const before = await verdictsOf(harness);
  expect(Object.keys(before)).toEqual(['equal']);

  for (const [index, compaction] of applied.toReversed().entries()) {
    const restored = applied.at(-2 - index) ?? null;
    const result = await rollBackCompaction(harness.deps, { projectId: PROJECT, compactionId: compaction.id });
    expect(result).toMatchObject({ status: 'rolled_back', restores: restored?.id ?? null });
    events = await harness.events(SUB_STREAM);
    const build = await uncapped(harness, events);
    const summarised = build.omitted.flatMap(({ entries, state }) => (state === 'summarised' ? [entries] : []));
    expect(summarised.map(([from]) => from)).toEqual(restored === null ? [] : [restored.entries[0]]);
    expect(summarised.map(([, to]) => to)).toEqual(restored === null ? [] : [restored.entries[1]]);
    const shown = build.messages.filter(({ entries: [entry] }) => (entry ?? 0) > (restored?.entries[1] ?? 0));
    expect(new Set(shown.map(({ state }) => state))).toEqual(new Set(['whole']));
  }
  expect(JSON.stringify((await uncapped(harness, events)).request)).not.toContain('[compacted history]');
  expect(await verdictsOf(harness)).toEqual(before);
  return { calls: before['equal'] ?? 0, compactions: applied.length };
}
