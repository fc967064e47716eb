import { createLogger, type Logger } from '../../libs/platform/src/index.js';
import { keepLog } from './planted-secrets.js';

/** The logger of a process under test: all it says, down to `debug`, is kept and searched for secrets when the run ends. */
export function testLogger(name: string, clean?: (line: string) => string): Logger {
  const isShown = process.env['WEIR_TEST_LOG'] !== undefined;
  return createLogger(
    { name, level: 'debug', ...(clean === undefined ? {} : { clean }) },
    {
      write(line: string) {
        keepLog(line);
        if (isShown) process.stderr.write(line);
      },
    },
  );
}
