import { parseCron } from './cron-times.js';
import { upcomingTicks } from './check-schedule.js';

const ticks = (cron: string, timezone: string, from: string, count: number): string[] =>
  upcomingTicks(cron, timezone, Date.parse(from), count).map((tick) => tick.replace(':00.000Z', 'Z'));

describe('ticks in a time zone', () => {
  it('keep the wall clock when the clocks change', () => {
    expect(ticks('0 9 * * MON-FRI', 'America/New_York', '2026-10-30T00:00:00Z', 3)).toEqual([
      '2026-10-30T13:00Z',
      '2026-11-02T14:00Z',
      '2026-11-03T14:00Z',
    ]);
  });

  it('come once where the clocks skip or repeat their time', () => {
    // 02:30 does not exist on 29 March in Berlin: the tick comes at 03:00, when the clocks have been put forward.
    expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ]);
    // 02:30 comes twice on 25 October: the first one counts.
    expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
  });

  it('keep their pace through the change when they are intervals', () => {
    const times = ticks('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 8).map((tick) => Date.parse(tick));
    expect(times.slice(1).every((time, index) => time - (times[index] ?? 0) === 1_800_000)).toBe(true);
  });

  it.each([
    ['61 * * * *', 'UTC', 'cron'],
    ['* * *', 'UTC', 'cron'],
    ['@reboot', 'UTC', 'cron'],
    ['0 0 * * *', 'Mars/Base', 'timezone'],
    ['0 0 * * *', '', 'timezone'],
  ])('are refused for %j in %j by the field %s', (cron, timezone, field) => {
    expect(parseCron(cron, timezone)).toMatchObject({ ok: false, field });
  });
});
