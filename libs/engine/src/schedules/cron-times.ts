import { Cron } from 'croner';

/** The ticks of a pattern in a time zone. */
export type CronTimes = {
  /** The first tick after a time (milliseconds since 1970); null: there is none. */
  next(afterMs: number): number | null;
};

export type ParsedCron = { ok: true; times: CronTimes } | { ok: false; field: 'cron' | 'timezone'; detail: string };

/**
 * Five fields, six with seconds in front, or a nickname such as `@daily`. A time that the clocks skip comes when they have
 * been put forward; one that comes twice comes once, but intervals (`*` or a step in the minutes or hours) keep their pace.
 */
export function parseCron(pattern: string, timezone: string): ParsedCron {
  if (!isTimezone(timezone))
    return {
      ok: false,
      field: 'timezone',
      detail: `${timezone} is no time zone of the IANA list, such as Europe/Berlin`,
    };
  try {
    const cron = new Cron(pattern, { timezone, paused: true, mode: '5-or-6-parts' });
    return { ok: true, times: { next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime() ?? null } };
  } catch (error) {
    // The package says which field it cannot read; its own name in front says nothing to authors.
    const detail = (error instanceof Error ? error.message : String(error)).replace(/^CronPattern: /, '');
    return { ok: false, field: 'cron', detail };
  }
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    // A RangeError says that the name is unknown; there is nothing else to go wrong.
    return false;
  }
}

/** `2026-03-29`, as clocks in the zone show it. */
export function localDate(atMs: number, timezone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(atMs);
}
