const THOUSANDS = new Intl.NumberFormat('en-US');
export const whole = (value: number): string => THOUSANDS.format(value);

/** US dollars with as many places as small calls need. */
export function dollars(value: number): string {
  if (value === 0) return '$0';
  return value < 0.01 ? `$${value.toPrecision(2)}` : `$${value.toFixed(2)}`;
}

/** `0.8 s`, `3 min 12 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Between two times of the server; up to now when the second is still to come. Null before the first. */
export function elapsed(from: string | null, until: string | null): string | null {
  if (from === null) return null;
  return duration(Math.max(0, (until === null ? Date.now() : Date.parse(until)) - Date.parse(from)));
}

/** `2026-11-29 21:49:07`, UTC. */
export const moment = (time: string): string => time.slice(0, 19).replace('T', ' ');
/** `21:49:07`, UTC. */
export const clock = (time: string): string => time.slice(11, 19);
