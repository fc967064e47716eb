import { readFileSync } from 'node:fs';
import { effectivePolicy, transcriptSchema, type ApiFormat, type ReplayRun } from '../../libs/context/src/index.js';
import { jsonSchema, subStreamId, type Json, type JsonObject } from '../../libs/domain/src/index.js';
import {
  previewTranscript,
  recordedModel,
  recordedSession,
  recordedToolNames,
  replayDocument,
  replayTask,
  REPLAY_STEP,
} from '../../libs/engine/src/index.js';
import { postgresRecordingStore } from '../../libs/event-store/src/index.js';
import { PROJECT, type EngineHarness } from './engine-harness.js';

export type PlayedSession = {
  /** Of each run, as it ended and as the recorded one did. */
  ends: { status: string; recorded: ReplayRun['end'] }[];
  /** Of each call: what the engine recorded, and what the preview says. */
  hashes: (string | null)[];
  previewed: (string | null)[];
  /** Calls that sent less than the unmanaged history. */
  shorter: number;
};

/** Plays a recorded session of the fixtures through an engine, run by run on one stream. */
export async function playSession(
  harness: EngineHarness,
  name: string,
  context: object,
  apiFormat: ApiFormat,
): Promise<PlayedSession> {
  const file = new URL(`../fixtures/transcripts/${name}.json`, import.meta.url);
  const body = jsonSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return playRecording(harness, { pipeline: `replay-${name}-${apiFormat}`, body }, context, apiFormat);
}

/** The same for any transcript. The pipeline's name is also that of the recording and of the stream. */
export async function playRecording(
  harness: EngineHarness,
  { pipeline, body }: { pipeline: string; body: Json },
  context: object,
  apiFormat: ApiFormat,
): Promise<PlayedSession> {
  const transcript = transcriptSchema.parse(body);
  const model = recordedModel(null, apiFormat);
  const policy = effectivePolicy({ pipeline: context }, false);
  const { plan, policy: forced } = recordedSession(transcript, policy, model);
  await postgresRecordingStore(harness.database).put(PROJECT, pipeline, body);
  const toolNames = recordedToolNames(plan, model);
  const played = { recording: pipeline, model: `replay:${pipeline}?api_format=${apiFormat}` };
  await harness.apply(replayDocument({ name: pipeline, ...played, plan, toolNames, policy: forced }));
  const ends: PlayedSession['ends'] = [];
  for (const run of plan.runs) {
    const metadata: JsonObject = run.injected ? { injected: true } : {};
    const runId = await harness.start(pipeline, { task: replayTask(run.task) }, { streamId: pipeline, metadata });
    ends.push({ status: (await harness.untilEnded(runId)).status, recorded: run.end });
  }
  const events = await harness.events(subStreamId(pipeline, REPLAY_STEP, null));
  const lines = [...previewTranscript(transcript, policy, model)].map(({ line }) => line);
  return {
    ends,
    hashes: events.flatMap((event) => (event.type === 'LlmCallStarted' ? [event.data.context_hash] : [])),
    previewed: lines.map((line) => line.context_hash),
    shorter: lines.filter((line) => line.chars < line.chars_unmanaged).length,
  };
}
