import { shown } from './shown.js';

/** One line on stderr that says how far a long command is; nothing where nobody sees it. */
export type Progress = { readonly show: (text: string) => void; readonly clear: () => void };

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  return {
    show: (text) => {
      stream.write(`\r\u001b[2K${shown(text, true)}`);
    },
    clear: () => {
      stream.write('\r\u001b[2K');
    },
  };
}
