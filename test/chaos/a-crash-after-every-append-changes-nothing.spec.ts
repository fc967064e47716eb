import { readFileSync } from 'node:fs';
import { comparable, CrashAtCommits, CRASH_TIMES } from './support/crash-at-commits.js';
import { PROJECT } from './support/deployment.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';

const TURNS = 6;

scenario('a crash after every single append of a long agent step changes nothing', {
  timeoutMs: 1_800_000,
  deployment: { workers: 1, environment: CRASH_TIMES },
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
    const crash = await CrashAtCommits.in(deployment);
    const play = async (name: string, dieAt: number) => {
      const conversation = `${name}:step:work`;
      crash.arm({ streams: [name, conversation], dieAt });
      const runId = await deployment.start('long', {}, { stream_id: name });
      const [run] = await deployment.ended([runId]);
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
    await crash.close();
  },
});
