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

const FORMATS: { readonly [status: string]: Format } = {
  succeeded: 'green',
  completed: 'green',
  compacted: 'green',
  'rebuilt equal': 'green',
  failed: 'red',
  timed_out: 'red',
  dead_letter: 'red',
  'rebuilt corrupt': 'red',
  running: 'cyan',
  started: 'cyan',
  waiting: 'yellow',
  cancelling: 'yellow',
};

/** A run's, step's or call's status in its colour. */
export function statusText(status: string, style: Style): string {
  return style(FORMATS[status] ?? 'dim', status);
}
