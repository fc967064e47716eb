import { boundedResult } from '../results/result-text.js';
import { toolError } from '../results/tool-error.js';
import type { BuiltinTool } from './builtin-tool.js';

export const now: BuiltinTool = {
  name: 'now',
  description: 'The current date and time in UTC, and in a time zone when one is given.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    properties: { time_zone: { type: 'string', maxLength: 64, description: 'IANA name, for example Europe/Berlin.' } },
  },
  effect: 'read_only',
  primaryArgument: 'time_zone',
  async run({ args, now: clock }) {
    const time = clock();
    const utc = time.toISOString();
    const timeZone = args['time_zone'];
    if (typeof timeZone !== 'string' || timeZone === '') return boundedResult(utc);
    const local = localTime(time, timeZone);
    if (local === null)
      return toolError(`${JSON.stringify(timeZone)} is not a known time zone. Use an IANA name such as Europe/Berlin.`);
    return boundedResult(`${utc} (${local} in ${timeZone})`);
  },
};

/** `2026-11-30 01:02:03 GMT+01:00`, or null for an unknown zone. */
function localTime(time: Date, timeZone: string): string | null {
  try {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    const offset = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' })
      .formatToParts(time)
      .find((part) => part.type === 'timeZoneName');
    return `${format.format(time)} ${offset?.value ?? ''}`.trim();
  } catch {
    // Intl has no other way to say that it does not know a zone than a RangeError.
    return null;
  }
}
