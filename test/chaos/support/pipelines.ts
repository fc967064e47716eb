import type { ToolServer } from './tool-server.js';

/** Lets tools reach servers of the test. */
export const allowLocal = 'http: { allowed_hosts: [127.0.0.1] }\n';

/**
 * Steps of several kinds with keyed effects: an agent whose scripted model calls `charge` in two turns, a fan-out with a
 * call each, a tool step. `CHARGES` in each run.
 */
export const order = (tools: ToolServer) => ({
  name: 'order',
  inputs: { n: { type: 'integer', required: true } },
  agents: { clerk: { model: 'scripted:clerk', system_prompt: 'You charge.', tools: ['charge'] } },
  tools: { charge: charge(tools) },
  steps: [
    { id: 'desk', agent: 'clerk', task: 'Charge three times.' },
    {
      id: 'parcels',
      for_each: '${[1, 2, 3]}',
      do: { steps: [{ id: 'parcel', tool: 'charge', args: { what: 'parcel ${item}' } }] },
    },
    { id: 'bill', depends_on: ['desk', 'parcels'], tool: 'charge', args: { what: 'bill' } },
    { id: 'sum', depends_on: ['bill'], transform: { n: '${inputs.n * 2}', said: '${steps.desk.output}' } },
  ],
  output: '${steps.sum.output}',
});

const CHARGES = ['one', 'two', 'three', 'parcel 1', 'parcel 2', 'parcel 3', 'bill'];

const charge = (tools: ToolServer) => ({
  kind: 'http',
  description: 'Charges once.',
  method: 'POST',
  url: `http://${tools.host}/charge`,
  body: { run: '${run.id}', what: '${args.what}' },
  parameters: { type: 'object', required: ['what'], properties: { what: { type: 'string' } } },
  effect: 'idempotent_with_key',
});

/** What the scripted model of `order` says; `delayMs` is its time to think. */
export const clerkScript = (delayMs: number) => ({
  replies: [
    { tool_calls: [{ name: 'charge', arguments: { what: 'one' } }], delay_ms: delayMs },
    {
      tool_calls: [
        { name: 'charge', arguments: { what: 'two' } },
        { name: 'charge', arguments: { what: 'three' } },
      ],
      delay_ms: delayMs,
    },
    { text: 'charged' },
  ],
});

/** Every run has its effects, each under one key, and ended well. */
export function expectOrders(
  runs: readonly { id: string; status: string; output: unknown }[],
  inputs: readonly number[],
  tools: ToolServer,
): void {
  expect(runs.map(({ status, output }) => ({ status, output }))).toEqual(
    inputs.map((n) => ({ status: 'succeeded', output: { n: n * 2, said: 'charged' } })),
  );
  const effects = tools.effects().map(({ body }) => `${String(body['run'])} ${String(body['what'])}`);
  // Sorted lists: what is missing, or there twice, is what a failure shows.
  expect(effects.sort()).toEqual(runs.flatMap(({ id }) => CHARGES.map((what) => `${id} ${what}`)).sort());
}

/** Turns of `session`, each with a keyed call; long enough to be masked and compacted on the way. */
const SESSION_TURNS = 14;
const paragraph = (turn: number): string =>
  Array.from(
    { length: 24 },
    (_, line) => `Line ${line} of turn ${turn}: the parcel was weighed, sealed and sent.`,
  ).join('\n');

/** One agent step with small caps. `once` is a call that nobody may make twice: it has no key. */
export const session = (tools: ToolServer) => ({
  name: 'session',
  inputs: { n: { type: 'integer', required: true } },
  context: {
    window: { observation_window: 4, soft_cap_chars: 14_000, hard_cap_chars: 60_000, min_tail_turns: 2 },
    compaction: { max_summary_chars: 3_000 },
  },
  agents: { clerk: { model: 'scripted:session', system_prompt: 'You work.', tools: ['charge', 'once'] } },
  tools: {
    charge: charge(tools),
    once: { ...charge(tools), effect: 'non_idempotent', on_unknown_outcome: 'tell_model' },
  },
  steps: [{ id: 'work', agent: 'clerk', task: 'Work for long.' }],
  output: '${steps.work.output}',
});

export const SESSION_EFFECTS = SESSION_TURNS - 1;

export const sessionScript = (delayMs: number) => ({
  replies: [
    ...Array.from({ length: SESSION_TURNS }, (_, index) => ({
      text: `Turn ${index}.`,
      delay_ms: delayMs,
      tool_calls: [{ name: index === 5 ? 'once' : 'charge', arguments: { what: `${index}\n${paragraph(index)}` } }],
    })),
    { text: 'worked' },
  ],
});

/** Every session ended well, its keyed effects are there once, and what has no key was never asked for twice. */
export function expectSessions(
  runs: readonly { id: string; status: string; output: unknown }[],
  tools: ToolServer,
): void {
  expect(runs.map(({ status, output }) => ({ status, output }))).toEqual(
    runs.map(() => ({ status: 'succeeded', output: 'worked' })),
  );
  for (const { id } of runs) {
    const ofRun = (isKeyed: boolean): string[] =>
      tools
        .effects()
        .flatMap(({ key, body }) => (body['run'] === id && (key !== null) === isKeyed ? [String(body['what'])] : []));
    const keyed = ofRun(true);
    expect({ id, keyed: keyed.length, distinct: new Set(keyed).size }).toEqual({
      ...{ id, keyed: SESSION_EFFECTS, distinct: SESSION_EFFECTS },
    });
    expect(ofRun(false).length).toBeLessThanOrEqual(1);
  }
}
