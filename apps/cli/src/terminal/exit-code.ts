import { CommanderError } from 'commander';
import { z } from 'zod';
import { AppError } from '#libs/domain';

export const exitCodes = { fine: 0, failed: 1, usage: 2, unreachable: 3 } as const;

/** The command was called wrongly: exit code 2. */
export class UsageError extends AppError {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super('usage', message);
  }
}

/** No answer from the server: exit code 3. */
export class UnreachableError extends AppError {
  override readonly name = 'UnreachableError';

  constructor(url: string, cause: unknown) {
    const reason = rootMessage(cause);
    super(
      'unreachable',
      `No answer from ${url}: ${reason}. Is Weir running (npm start)? WEIR_URL names another address.`,
      { url },
      { cause },
    );
  }
}

/** `fetch failed` says nothing; its cause does (`connect ECONNREFUSED …`). */
function rootMessage(error: unknown): string {
  const { cause, message } = reasonSchema.parse(error);
  return cause === undefined ? message : rootMessage(cause);
}

/** By shape: errors of Node's own modules may come from another realm. */
const reasonSchema = z
  .looseObject({ message: z.string(), cause: z.unknown().optional() })
  .catch({ message: 'no reason given', cause: undefined });

export function exitCodeOf(error: unknown): number {
  // Commander throws for --help and --version as well, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof UnreachableError) return exitCodes.unreachable;
  return exitCodes.failed;
}
