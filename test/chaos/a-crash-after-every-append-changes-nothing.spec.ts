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
import { CommitWatch } from './support/commit-watch.js';
import { comparable, CrashAtCommits } from './support/crash-at-commits.js';
import { PROJECT, type Deployment } from './support/deployment.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';

const TURNS = 6;
/** Short, since every death costs one. */
const TIMES = { WEIR_LEASE_S: '2', WEIR_HEARTBEAT_S: '0.4', WEIR_SWEEP_S: '0.3' };

/** A deployment whose only worker has died already, and what starts it behind a wire. */
async function crashing(deployment: Deployment): Promise<{ crash: CrashAtCommits; watch: CommitWatch }> {
  await deployment.workers[0]?.terminate();
  const watch = await CommitWatch.before(deployment.postgres.url);
  const crash = new CrashAtCommits(deployment, watch);
  await crash.start();
  return { crash, watch };
}

scenario('a crash after every single append of a long agent step changes nothing', {
  deployment: { workers: 1, environment: TIMES },
  run: async ({ deployment, tell }) => {
    const write = (key: string, value: number) => ({ name: 'memory_write', arguments: { key, value } });
    deployment.script('long', {
      log_file: 'asked.log',
      replies: [
        ...Array.from({ length: TURNS }, (_, turn) => ({
          text: `turn ${turn}`,
          tool_calls: [write(`a${turn}`, turn), ...(turn % 2 === 0 ? [] : [write(`b${turn}`, turn)])],
        })),
        { text: 'all written' },
      ],
    });
    await deployment.apply({
      name: 'long',
      agents: { writer: { model: 'scripted:long', system_prompt: 'Write.', tools: ['memory_write'] } },
      steps: [{ id: 'work', agent: 'writer', task: 'Write.' }],
      output: '${steps.work.output}',
    });
    /** When each call of the model was made. */
    const asked = (runId: string): { call: number; at: number }[] =>
      readFileSync(deployment.scriptFile('asked.log'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { run_id: string; call: number; at: number })
        .filter(({ run_id: of }) => of === runId);
    const { crash, watch } = await crashing(deployment);
    const play = async (name: string, dieAt: number) => {
      const conversation = `${name}:step:work`;
      crash.arm({ streams: [name, conversation], dieAt });
      const runId = await deployment.start('long', {}, { stream_id: name });
      const [run] = await deployment.ended([runId], 90_000);
      await crash.revived();
      expect(run).toMatchObject({ status: 'succeeded', output: 'all written' });
      const events = await deployment.stored.log.read({ projectId: PROJECT, streamId: conversation });
      const answeredAt = new Map(
        events.flatMap((event) =>
          event.type === 'LlmCallCompleted' ? [[event.data.call_no, Date.parse(event.recordedAt)]] : [],
        ),
      );
      const askedAgain = asked(runId).filter(({ call, at }) => at > (answeredAt.get(call) ?? 0));
      const times = asked(runId).length;
      return { runId, conversation: comparable(events), askedAgain, times };
    };

    const undisturbed = await play('undisturbed', Infinity);
    const points = [...crash.commits];
    tell(`${points.length} appends to die behind`);
    expect(points.length).toBeGreaterThan(TURNS * 3);
    const runIds = [undisturbed.runId];
    let repeated = 0;
    for (const dieAt of points) {
      const disturbed = await play(`dies-at-${dieAt}`, dieAt);
      runIds.push(disturbed.runId);
      expect({ dieAt, conversation: disturbed.conversation }).toEqual({
        dieAt,
        conversation: undisturbed.conversation,
      });
      expect({ dieAt, askedAgain: disturbed.askedAgain }).toEqual({ dieAt, askedAgain: [] });
      repeated += disturbed.times - undisturbed.times;
    }
    // Nothing is in flight at a commit: only a lease that ran out on a busy machine makes an open call twice.
    tell(`${repeated} open calls of ${points.length * undisturbed.times} were made again`);
    expect(crash.deaths).toBe(points.length);
    await expectSound(deployment, runIds);
    await watch.close();
  },
});

const TRANSCRIPT = 'sweagent-marshmallow';

scenario('a crash after every single append of a replayed transcript changes nothing', {
  deployment: { workers: 1, compactors: 1, environment: TIMES },
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
    const { crash, watch } = await crashing(deployment);
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
    await watch.close();
  },
});
