import { readFileSync } from 'node:fs';
import { effectivePolicy, transcriptSchema } from '../../libs/context/src/index.js';
import { BEGINNINGS, subStreamId } from '../../libs/domain/src/index.js';
import {
  previewTranscript,
  recordedModel,
  recordedSession,
  recordedToolNames,
  replayDocument,
  replayTask,
  REPLAY_STEP,
} from '../../libs/engine/src/index.js';
import { CrashAtCommits, CRASH_TIMES } from './support/crash-at-commits.js';
import { PROJECT } from './support/deployment.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';

const TRANSCRIPT = 'sweagent-marshmallow';

scenario('a crash after every single append of a replayed transcript changes nothing', {
  timeoutMs: 1_800_000,
  deployment: { workers: 1, compactors: 1, environment: CRASH_TIMES },
  run: async ({ deployment, tell }) => {
    const file = new URL(`../fixtures/transcripts/${TRANSCRIPT}.json`, import.meta.url);
    const body: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const transcript = transcriptSchema.parse(body);
    const model = recordedModel(null, 'openai_chat');
    // Small caps, so that a session of this size masks and compacts.
    const window = { observation_window: 3, soft_cap_chars: 9_000, hard_cap_chars: 60_000, min_tail_turns: 2 };
    const policy = effectivePolicy({ pipeline: { window, compaction: { max_summary_chars: 2_000 } } }, false);
    const { plan, policy: forced } = recordedSession(transcript, policy, model);
    expect(await deployment.ask('PUT', `/v1/recordings/${TRANSCRIPT}`, body)).toMatchObject({
      status: expect.any(Number) as number,
    });
    const played = { recording: TRANSCRIPT, model: `replay:${TRANSCRIPT}?api_format=openai_chat` };
    await deployment.apply({
      ...replayDocument({
        ...{ name: 'played', plan, policy: forced },
        ...played,
        toolNames: recordedToolNames(plan, model),
      }),
      name: 'played',
    });
    const crash = await CrashAtCommits.in(deployment);
    const conversation = subStreamId('played', REPLAY_STEP, null);
    // Behind each append in turn, whoever made the one before; but not where something only begins, each time again.
    crash.arm({ streams: ['played', conversation], without: BEGINNINGS, dieAt: 1, again: true });
    const runIds: string[] = [];
    for (const run of plan.runs) {
      runIds.push(await deployment.start('played', { task: replayTask(run.task) }, { stream_id: 'played' }));
      const [ended] = await deployment.ended(runIds.slice(-1), 500_000);
      expect(ended?.status).toBe(run.end);
    }
    await crash.revived();
    tell(`${crash.deaths} deaths`);
    const events = await deployment.stored.log.read({ projectId: PROJECT, streamId: conversation });
    const hashes = events.flatMap((event) => (event.type === 'LlmCallStarted' ? [event.data.context_hash] : []));
    const previewed = [...previewTranscript(transcript, policy, model)].map(({ line }) => line.context_hash);
    expect(hashes).toEqual(previewed);
    expect(crash.deaths).toBeGreaterThan(hashes.length * 2 - 2);
    await expectSound(deployment, runIds);
    await crash.close();
  },
});
