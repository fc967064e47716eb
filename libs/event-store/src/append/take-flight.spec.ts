import type { NewEvent } from '#libs/domain';
import { MAX_FLIGHT_UNITS, takeFlight } from './take-flight.js';

const event = (eventId: string): NewEvent => ({
  type: 'StepCancelled',
  eventId,
  schemaVersion: 1,
  data: {},
  json: '{}',
  chars: 0,
  digest: 'd',
  runId: null,
  stepId: null,
  item: null,
  round: 0,
});
const unit = (streamId: string, eventId: string, expectedVersion?: number) => ({
  name: `${streamId}${eventId}`,
  unit: {
    projectId: 'p',
    streamId,
    events: [event(eventId)],
    ...(expectedVersion === undefined ? {} : { expectedVersion }),
  },
});
const names = (items: readonly { name: string }[]) => items.map(({ name }) => name);

describe('takeFlight', () => {
  it('takes units of many streams, and several of one stream that expect nothing', () => {
    const { take, rest } = takeFlight([unit('a', '1'), unit('b', '2', 4), unit('a', '3')]);
    expect(names(take)).toEqual(['a1', 'b2', 'a3']);
    expect(rest).toEqual([]);
  });

  it('leaves a unit with an expected version alone on its stream, and everything after it for later', () => {
    expect(names(takeFlight([unit('a', '1'), unit('a', '2', 1), unit('a', '3')]).rest)).toEqual(['a2', 'a3']);
    expect(names(takeFlight([unit('a', '1', 0), unit('a', '2')]).rest)).toEqual(['a2']);
  });

  it('never lets a later unit of a stream overtake an earlier one', () => {
    const { take, rest } = takeFlight([unit('a', '1'), unit('b', '1'), unit('b', '2')]);
    expect(names(take)).toEqual(['a1']);
    expect(names(rest)).toEqual(['b1', 'b2']);
  });

  it('is bounded', () => {
    const many = Array.from({ length: MAX_FLIGHT_UNITS + 5 }, (_, n) => unit(`s${n}`, `${n}`));
    expect(takeFlight(many).rest).toHaveLength(5);
  });
});
