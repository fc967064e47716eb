import { expectedDuration, parseDurationMs } from './duration.js';

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['20s', 20_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['0s', 0],
    ['366d', 31_622_400_000],
  ])('%s is %d ms', (text, expected) => {
    expect(parseDurationMs(text)).toBe(expected);
  });

  it.each(['', '5', '5 m', '-5m', '5M', 'PT5M', '5min', 'm', '1.m', '367d', `${'9'.repeat(60)}d`])(
    '%j is no duration',
    (text) => {
      expect(parseDurationMs(text)).toBeNull();
    },
  );

  it('says what to write for a bare number of seconds and for ISO 8601', () => {
    expect(expectedDuration(300)).toContain('"300s"');
    expect(expectedDuration('300')).toContain('"300s"');
    expect(expectedDuration('PT5M')).toContain('ISO 8601');
  });
});
