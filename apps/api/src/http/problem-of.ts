import { HttpException } from '@nestjs/common';
import { AppError, RetryableError } from '#libs/domain';
import { codeOfStatus, isProblemCode, problemKind, type ProblemCode } from './problem-codes.js';
import { ProblemError, type ProblemExtensions } from './problem-error.js';
import type { Problem } from './problem.js';

const RETRY_MS = 2000;

type Cause = { code: ProblemCode; detail: string; extensions: ProblemExtensions };

/** What to answer for a thrown value. Details of what we did not foresee stay in the log. */
export function problemOf(thrown: unknown, request: { instance: string; requestId: string }): Problem {
  const { code, detail, extensions } = causeOf(thrown);
  const kind = problemKind(code);
  return {
    type: `urn:weir:problem:${code}`,
    title: kind.title,
    status: kind.status,
    code,
    detail,
    instance: request.instance,
    request_id: request.requestId,
    retryable: kind.retryable ?? false,
    retry_after_ms: extensions.retryAfterMs ?? null,
    errors: [...(extensions.errors ?? [])],
    allowed_actions: [...(extensions.allowedActions ?? [])],
    ...(extensions.requiredScope === undefined ? {} : { required_scope: extensions.requiredScope }),
    ...(extensions.checks === undefined ? {} : { checks: extensions.checks }),
  };
}

function causeOf(thrown: unknown): Cause {
  if (thrown instanceof ProblemError) {
    return { code: thrown.problemCode, detail: thrown.message, extensions: thrown.extensions };
  }
  if (thrown instanceof RetryableError) {
    const code = isProblemCode(thrown.code) ? thrown.code : 'temporarily_unavailable';
    return { code, detail: thrown.message, extensions: { retryAfterMs: thrown.retryAfterMs ?? RETRY_MS } };
  }
  if (thrown instanceof AppError && isProblemCode(thrown.code)) {
    return { code: thrown.code, detail: thrown.message, extensions: {} };
  }
  if (thrown instanceof HttpException) return causeOfStatus(thrown.getStatus(), thrown.message);
  return internalError();
}

function causeOfStatus(status: number, message: string): Cause {
  const code = codeOfStatus(status);
  if (code === 'internal_error') return internalError();
  if (code === 'body_too_large') return { code, detail: 'The body may have at most 10 MiB.', extensions: {} };
  if (code === 'route_not_found')
    return { code, detail: `${message}. What there is: /docs for people, /openapi.json for programs.`, extensions: {} };
  return { code, detail: message, extensions: {} };
}

function internalError(): Cause {
  return {
    code: 'internal_error',
    detail: 'An unexpected error was logged under this request id. Repeating the request may or may not help.',
    extensions: {},
  };
}
