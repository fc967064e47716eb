import { readFileSync } from 'node:fs';
import { effectivePolicy, transcriptSchema } from '../../../libs/context/src/index.js';
import { subStreamId } from '../../../libs/domain/src/index.js';
import {
  previewTranscript,
  RECORDED_MODEL,
  recordedModel,
  recordedSession,
  recordedToolNames,
  replayDocument,
  replayTask,
  REPLAY_STEP,
  type CallLine,
} from '../../../libs/engine/src/index.js';
import { postgresRecordingStore } from '../../../libs/event-store/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

const TIGHT = {
  window: { observation_window: 3, soft_cap_chars: 9_000, hard_cap_chars: 60_000 },
  compaction: { max_summary_chars: 2_000 },
};

/** Plays a recording through the engine, run by run on one stream, and returns what was recorded of its calls. */
async function replayed(name: string, context: object, apiFormat: 'openai_chat' | 'anthropic_thinking') {
  const body: unknown = JSON.parse(
    readFileSync(new URL(`../../fixtures/transcripts/${name}.json`, import.meta.url), 'utf8'),
  );
  const transcript = transcriptSchema.parse(body);
  const model = recordedModel(null, apiFormat);
  const policy = effectivePolicy({ pipeline: context }, false);
  const session = recordedSession(transcript, policy, model);
  const pipeline = `replay-${name}-${apiFormat}`;
  await postgresRecordingStore(harness.database).put(PROJECT, pipeline, body as never);
  await harness.apply(
    replayDocument({
      name: pipeline,
      recording: pipeline,
      model: `replay:${pipeline}?api_format=${apiFormat}`,
      plan: session.plan,
      toolNames: recordedToolNames(session.plan, model),
      policy: session.policy,
    }),
  );
  const statuses: string[] = [];
  for (const run of session.plan.runs) {
    const runId = await harness.start(
      pipeline,
      { task: replayTask(run.task) },
      {
        streamId: pipeline,
        metadata: run.injected ? { injected: true } : {},
      },
    );
    statuses.push((await harness.untilEnded(runId)).status);
  }
  const events = await harness.events(subStreamId(pipeline, REPLAY_STEP, null));
  const hashes = events.flatMap((event) => (event.type === 'LlmCallStarted' ? [event.data.context_hash] : []));
  return { transcript, policy, model, session, statuses, hashes };
}

function previewed({
  transcript,
  policy,
  model,
}: Pick<Awaited<ReturnType<typeof replayed>>, 'transcript' | 'policy' | 'model'>): CallLine[] {
  return [...previewTranscript(transcript, policy, model)].map(({ line }) => line);
}

describe('a recorded session played through the engine', () => {
  it.each([
    ['vcr-anthropic-parallel4', 'anthropic_thinking'],
    ['vcr-anthropic-redacted-thinking', 'anthropic_thinking'],
    ['vcr-anthropic-two-images', 'openai_chat'],
    ['sweagent-marshmallow', 'openai_chat'],
    ['tau-airline-33', 'openai_chat'],
  ] as const)('sends in each call of %s (%s) what the preview says', async (name, apiFormat) => {
    const run = await replayed(name, TIGHT, apiFormat);
    const lines = previewed(run);
    expect(run.statuses).toEqual(run.session.plan.runs.map(({ end }) => end));
    expect(run.hashes).toEqual(lines.map((line) => line.context_hash));
  });
});

it('keeps the model of the session unless the recording names another', () => {
  expect(recordedModel(null, null)).toBe(RECORDED_MODEL);
});
