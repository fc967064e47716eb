import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];
/** Text as shown; plain text where nobody sees colours. */
export type Style = (format: Format, text: string) => string;

type Terminal = { readonly isTTY?: boolean; readonly hasColors?: () => boolean };

/** Colours only on a terminal that has them; Node's own question to it honours `NO_COLOR` and `FORCE_COLOR`. */
export function createStyle(stream: Terminal = process.stdout): Style {
  const isColoured = stream.isTTY === true && stream.hasColors?.() === true;
  return isColoured ? (format, text) => styleText(format, text) : (_format, text) => text;
}

/** The colour of a run's, step's or call's status. */
export function statusFormat(status: string): Format {
  switch (status) {
    case 'succeeded':
    case 'completed':
    case 'compacted':
    case 'equal':
      return 'green';
    case 'failed':
    case 'timed_out':
    case 'dead_letter':
    case 'corrupt':
      return 'red';
    case 'running':
    case 'started':
      return 'cyan';
    case 'waiting':
    case 'cancelling':
      return 'yellow';
  }
  return 'dim';
}
