/** Where a command's answer goes: JSON lines or text on stdout. Logs and errors go to stderr. */
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
      if (isJson) process.stdout.write(`${JSON.stringify(value)}\n`);
    },
    text: (line) => {
      if (!isJson) process.stdout.write(`${line}\n`);
    },
    error: (line) => {
      process.stderr.write(`${line}\n`);
    },
  };
}
