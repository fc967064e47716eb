import { CommanderError } from 'commander';
import { AppError } from '#libs/domain';
import { createProgram, refuseUnknownCommand } from './program.js';
import { exitCodeOf, exitCodes } from './terminal/exit-code.js';
import { createOutput } from './terminal/output.js';

/**
 * The `weir` command, called by `bin/weir.mjs`. Exit codes: 0 fine, 1 failed run or check, 2 usage, 3 cannot reach
 * the server. `argv`: the words after `weir`.
 */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    const program = createProgram();
    refuseUnknownCommand(program, argv);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    const output = createOutput(argv.includes('--json'));
    // Commander has said itself what was wrong (or shown the help that was asked for).
    if (!(error instanceof CommanderError)) reportError(error, output);
    process.exitCode = exitCodeOf(error);
  }
}

function reportError(error: unknown, output: ReturnType<typeof createOutput>): void {
  const code = error instanceof AppError ? error.code : 'unexpected';
  const detail = error instanceof Error ? error.message : String(error);
  output.json({ event: 'failed', code, detail, exit_code: exitCodeOf(error) });
  output.error(`weir: ${detail}`);
  const isOurs = error instanceof AppError;
  if (!isOurs && error instanceof Error && exitCodeOf(error) === exitCodes.failed) output.error(error.stack ?? '');
}
