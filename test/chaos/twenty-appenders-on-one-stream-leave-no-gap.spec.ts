import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';

const APPENDERS = 20;
const STREAM = 'shared';

scenario('twenty appenders on one stream leave no gap in its sequence', {
  deployment: { workers: 3 },
  run: async ({ deployment, tell }) => {
    deployment.script('writer', {
      replies: [
        ...[1, 2, 3].map((turn) => ({
          tool_calls: [1, 2, 3].map((call) => ({
            name: 'memory_write',
            arguments: { key: `k${turn}_${call}`, value: turn },
          })),
        })),
        { text: 'written' },
      ],
    });
    await deployment.apply({
      name: 'writers',
      on_busy: 'parallel',
      inputs: { n: { type: 'integer', required: true } },
      context: { mode: 'fresh' },
      agents: { writer: { model: 'scripted:writer', system_prompt: 'You write.', tools: ['memory_write'] } },
      steps: [
        { id: 'one', agent: 'writer', task: 'Write.' },
        { id: 'two', agent: 'writer', task: 'Write.' },
        {
          id: 'rest',
          depends_on: ['one', 'two'],
          for_each: '${[1, 2, 3, 4, 5]}',
          do: { steps: [{ id: 'add', transform: { n: '${item}' } }] },
        },
      ],
      output: '${steps.one.output}',
    });
    const runIds = await Promise.all(
      Array.from({ length: APPENDERS }, (_, n) => deployment.start('writers', { n }, { stream_id: STREAM })),
    );
    const runs = await deployment.ended(runIds);
    expect(runs.map(({ output }) => output)).toEqual(runs.map(() => 'written'));
    const { sql } = deployment.database;
    const seqs = await sql<{ seq: number }[]>`select seq from event where stream_id = ${STREAM} order by seq`;
    expect(seqs.map(({ seq }) => seq)).toEqual(seqs.map((_, index) => index + 1));
    const [memory] = await sql<{ writes: number }[]>`
      select count(*)::int as writes from event where stream_id = ${STREAM} and type = 'MemoryWritten'`;
    expect(memory?.writes).toBe(APPENDERS * 2 * 9);
    tell(`${seqs.length} events on one stream`);
    await expectSound(deployment, runIds);
  },
});
