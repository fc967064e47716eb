import { AppError } from '#libs/domain';
import type { ProblemCode } from './problem-codes.js';
import type { Problem, ProblemFault } from './problem.js';

export type ProblemExtensions = {
  readonly errors?: readonly ProblemFault[];
  readonly allowedActions?: readonly string[];
  readonly requiredScope?: string;
  readonly retryAfterMs?: number;
  /** Of `/health/ready`, by dependency. */
  readonly checks?: Problem['checks'];
};

/** A request that cannot be answered as asked; the filter turns it into problem+json by its code. */
export class ProblemError extends AppError {
  override readonly name = 'ProblemError';

  constructor(
    readonly problemCode: ProblemCode,
    detail: string,
    readonly extensions: ProblemExtensions = {},
    options?: { cause?: unknown },
  ) {
    super(problemCode, detail, {}, options);
  }
}

/** The run, step, … of this project; other projects' ids are answered the same. */
export function notFound(code: ProblemCode & `${string}_not_found`, subject: string): ProblemError {
  return new ProblemError(code, `${subject} does not exist in this project.`);
}
