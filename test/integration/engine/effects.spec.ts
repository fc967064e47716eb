import type { Json } from '../../../libs/domain/src/index.js';
import { relay, runStepJob, sweep, type EngineDeps } from '../../../libs/engine/src/index.js';
import { crashingWorker, WorkerDied } from '../../support/crashing-worker.js';
import { createEngineHarness, type EngineHarness } from '../../support/engine-harness.js';
import { expectProjectionsEqualEvents } from '../../support/projections.js';

/** A tool of each effect class, called by a tool step and by an agent; its worker dies behind each write, and in the call. */
const EFFECTS = ['read_only', 'idempotent', 'idempotent_with_key', 'non_idempotent'] as const;
type Effect = (typeof EFFECTS)[number];

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  for (const effect of EFFECTS) {
    const tools: Json = { pay: { kind: 'builtin', builtin: 'memory_write', effect } };
    const args = { key: 'paid', value: 5 };
    const agents: Json = { a: { model: 'scripted:payer', tools: ['pay'] } };
    await harness.apply({ name: `tool-${effect}`, tools, steps: [{ id: 'work', tool: 'pay', args }] });
    await harness.apply({ name: `agent-${effect}`, agents, tools, steps: [{ id: 'work', agent: 'a', task: 'Pay.' }] });
  }
  harness.scripts.set('payer', ({ position }) =>
    position.callNo === 1 ? { tool_calls: [{ name: 'pay', arguments: { key: 'paid', value: 5 } }] } : { text: 'paid' },
  );
});
afterAll(() => harness.close());

type Played = { status: string; code: string | null; keys: (string | null)[]; writes: number };

/** `dies`: behind the nth write, or in the call, after its effect and before its result. */
async function play(pipeline: string, dies: number | 'in_call' | null): Promise<Played> {
  const keys: (string | null)[] = [];
  const paying = (deps: EngineDeps, inCall: () => void): EngineDeps => ({
    ...deps,
    tools: {
      ...deps.tools,
      invoke: (invocation) => {
        keys.push(invocation.idempotencyKey);
        inCall();
        return deps.tools.invoke(invocation);
      },
    },
  });
  const mortal = crashingWorker(harness.secondWorker(), typeof dies === 'number' ? dies : null);
  const first = paying(mortal.deps, () => {
    if (dies === 'in_call') mortal.kill();
  });
  const runId = await harness.start(pipeline, {});
  for (const job of harness.queue.steps.splice(0))
    await runStepJob(first, job).catch((error: unknown) => {
      if (!(error instanceof WorkerDied)) throw error;
    });
  await harness.database.run(
    (sql) => sql`update step_run set lease_until = now() - interval '1 second' where status = 'running'`,
  );
  await sweep(harness.deps);
  await relay(harness.deps);
  await harness.queue.drain(paying(harness.secondWorker(), () => undefined));
  const run = await harness.runRecord(runId);
  await expectProjectionsEqualEvents(harness, runId);
  return { status: run.status, code: run.error?.code ?? null, keys, writes: mortal.writes() };
}

describe.each(['tool', 'agent'])('a call of an %s step', (kind) => {
  it.each(EFFECTS)('that is %s keeps to it, wherever its worker dies', async (effect: Effect) => {
    const undisturbed = await play(`${kind}-${effect}`, null);
    expect(undisturbed.status).toBe('succeeded');
    expect(undisturbed.keys).toHaveLength(1);
    const points = [...Array.from({ length: undisturbed.writes }, (_, write) => write + 1), 'in_call' as const];
    const played = [];
    for (const point of points) played.push({ point, ...(await play(`${kind}-${effect}`, point)) });
    for (const { point, status, code, keys } of played) {
      const isUnknown = effect === 'non_idempotent' && code === 'tool_outcome_unknown';
      expect({ point, isOver: status === 'succeeded' || isUnknown }).toEqual({ point, isOver: true });
      // At most the call that was under way is made again, under the same key; a non-idempotent one never.
      expect({ point, calls: keys.length <= (effect === 'non_idempotent' ? 1 : 2) }).toEqual({ point, calls: true });
      expect(new Set(keys).size).toBeLessThanOrEqual(1);
      if (effect === 'idempotent_with_key') expect(keys.every((key) => key !== null)).toBe(true);
    }
    const inCall = played.at(-1);
    expect(inCall?.keys).toHaveLength(effect === 'non_idempotent' ? 1 : 2);
  });
});
