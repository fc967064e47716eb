import fc from 'fast-check';
import type { EventSubject, StoredEvent } from '#libs/domain';
import { EventLog } from '../../../context/src/testing/event-log.js';
import { AgentLoop } from './agent-loop.js';
import { nextAction } from './next-action.js';

/** One thing that happens around the calls of a step. */
type Happening =
  | { kind: 'call'; calls: number; same: boolean }
  | { kind: 'failure'; class: 'overloaded' | 'invalid_request' | 'context_overflow' }
  | { kind: 'crash' }
  | { kind: 'interruption' }
  | { kind: 'user'; injected: boolean }
  | { kind: 'foreign' }
  | { kind: 'late' };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('call' as const), calls: fc.nat(3), same: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('failure' as const),
      class: fc.constantFrom('overloaded' as const, 'invalid_request' as const, 'context_overflow' as const),
    }),
  },
  fc.constantFrom<Happening>({ kind: 'crash' }, { kind: 'interruption' }, { kind: 'foreign' }, { kind: 'late' }),
  fc.record({ kind: fc.constant('user' as const), injected: fc.boolean() }),
);

const subject: EventSubject = { runId: 'run_1', stepId: 'agent', item: null, round: 0 };
const MODELS = 3;

/** Plays what happens as the loop would record it; each started call carries the snapshot of the loop that followed all. */
function play(happenings: readonly Happening[]): { events: readonly StoredEvent[]; followed: AgentLoop } {
  const log = new EventLog();
  const followed = new AgentLoop(subject, MODELS);
  let seen = 0;
  const append = (type: string, data: object, runId = 'run_1'): void => {
    log.append(type as never, data as never, 0, { runId });
    followed.append(log.events.slice(seen));
    seen = log.events.length;
  };
  const start = (): { call_no: number; try: number } => {
    const action = nextAction(followed);
    const place =
      action.type === 'call_model'
        ? { call_no: action.callNo, try: action.try }
        : { call_no: (followed.lastCall?.data.call_no ?? 0) + 1, try: 1 };
    append('LlmCallStarted', { ...place, report: {}, loop: followed.snapshot() });
    return place;
  };
  for (const one of happenings) {
    if (one.kind === 'crash') start();
    else if (one.kind === 'failure') append('LlmCallFailed', { ...start(), class: one.class });
    else if (one.kind === 'interruption') append('ConversationInterrupted', { reason: 'failed' });
    else if (one.kind === 'user')
      append('UserMessageReceived', { origin: 'user', injected: one.injected, content: 'x' });
    else if (one.kind === 'foreign') append('LlmCallStarted', { call_no: 9, try: 1, report: {} }, 'run_2');
    else if (one.kind === 'late')
      append('ToolCallCompleted', { call_no: 1, ordinal: 0, status: 'ok', content: 'late' });
    else {
      const { call_no } = start();
      const calls = Array.from({ length: one.calls }, (_, n) => ({ id: `c${n}`, name: 'read', arguments: '{}' }));
      append('LlmCallCompleted', { call_no, try: 1, message: { content: [], tool_calls: calls } });
      calls.forEach((tool_call, ordinal) => append('ToolCallRequested', { call_no, ordinal, tool_call }));
      calls.slice(0, 2).forEach((_, ordinal) => {
        append('ToolCallStarted', { call_no, ordinal });
        const status = one.same ? 'ok' : 'pending';
        append('ToolCallCompleted', { call_no, ordinal, status, content: one.same ? 'same' : `${call_no}` });
      });
    }
  }
  return { events: log.events, followed };
}

const stateOf = (loop: AgentLoop) => ({
  snapshot: loop.snapshot(),
  action: nextAction(loop),
  model: [loop.modelIndex(), loop.modelIndex('overloaded')],
  ofAnswer: loop.exchangeCallsOfAnswer,
  repeats: loop.countRepeats({ id: '', name: 'read', arguments: '{}' }, { status: 'ok', content: 'same' }),
});

it('a loop that goes on from the snapshot of its last call stands where the one stands that followed all', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 12 }), (happenings) => {
      const { events, followed } = play(happenings);
      const started = events.findLast((event) => event.type === 'LlmCallStarted' && event.runId === 'run_1');
      if (started?.type !== 'LlmCallStarted') return;
      const taken = AgentLoop.at(started, subject, MODELS);
      taken?.append(events.filter(({ seq }) => seq >= started.seq));
      expect(taken === null ? null : stateOf(taken)).toEqual(stateOf(followed));
      const anew = new AgentLoop(subject, MODELS);
      anew.append(events);
      expect(stateOf(anew)).toEqual(stateOf(followed));
    }),
    { numRuns: 1_000 },
  );
});

it('counts the same call with the same result in a row, whatever else a run has done before', () => {
  const same = (times: number): Happening[] =>
    Array.from({ length: times }, () => ({ kind: 'call', calls: 1, same: true }));
  const repeats = (happenings: Happening[]): number => stateOf(play(happenings).followed).repeats;
  expect(repeats(same(4))).toBe(5);
  expect(repeats([...same(4), { kind: 'call', calls: 1, same: false }])).toBe(1);
  expect(repeats([{ kind: 'call', calls: 1, same: false }, ...same(2)])).toBe(3);
});
