import { jsonLine, shown } from './shown.js';

/**
 * Where a command's answer goes: JSON lines or text on stdout. Logs and errors go to stderr. What would steer a terminal is
 * taken out here, so no command has to think of it.
 */
export type Output = {
  readonly isJson: boolean;
  /** One JSON line; nothing without `--json`. */
  readonly json: (value: { readonly [key: string]: unknown }) => void;
  /** One line for people; nothing with `--json`. */
  readonly text: (line: string) => void;
  readonly error: (line: string) => void;
};

export function createOutput(isJson: boolean): Output {
  return {
    isJson,
    json: (value) => {
      if (isJson) process.stdout.write(`${jsonLine(value)}\n`);
    },
    text: (line) => {
      if (!isJson) process.stdout.write(`${shown(line, process.stdout.isTTY)}\n`);
    },
    error: (line) => {
      process.stderr.write(`${shown(line, process.stderr.isTTY)}\n`);
    },
  };
}
