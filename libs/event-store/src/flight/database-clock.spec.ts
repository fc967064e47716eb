import { DatabaseClock } from './database-clock.js';

describe('DatabaseClock', () => {
  const clockAt = () => {
    const at = { own: 1_000_000, elapsed: 0 };
    const clock = new DatabaseClock(
      () => at.own,
      () => at.elapsed,
    );
    return { at, clock };
  };

  it('does not know the time before the database has told it', () => {
    expect(clockAt().clock.now()).toBeNull();
  });

  it("moves on what the database said by this process' own clock, however wrong that is", () => {
    const { at, clock } = clockAt();
    clock.note('2026-11-30T15:00:00.123456Z');
    at.own += 250;
    at.elapsed += 250;
    expect(clock.now()).toBe('2026-11-30T15:00:00.373Z');
  });

  it('trusts nothing that it heard more than ten seconds ago', () => {
    const { at, clock } = clockAt();
    clock.note('2026-11-30T15:00:00Z');
    at.elapsed += 10_001;
    expect(clock.now()).toBeNull();
  });
});
