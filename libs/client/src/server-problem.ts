import type { components } from './openapi.gen.js';

export type Problem = components['schemas']['Problem'];

/** An answer that is not 2xx. `problem` is the server's (RFC 9457); null when something else answered, a proxy say. */
export class ServerProblem extends Error {
  override readonly name = 'ServerProblem';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly problem: Problem | null,
  ) {
    super(message);
  }
}

/** No answer at all: the address is wrong, nothing listens there, or the connection broke. */
export class ServerUnreachable extends Error {
  override readonly name = 'ServerUnreachable';

  constructor(
    readonly url: string,
    cause: unknown,
  ) {
    super(`No answer from ${url}: ${reasonOf(cause)}`, { cause });
  }
}

/** The reason is in the cause's cause with fetch, and in a list of errors when a name has several addresses. */
function reasonOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return String(cause);
  if ('errors' in cause && Array.isArray(cause.errors) && cause.errors.length > 0)
    return cause.errors.map(reasonOf).join('; ');
  if ('cause' in cause && cause.cause !== undefined) return reasonOf(cause.cause);
  return 'message' in cause ? String(cause.message) : 'no reason given';
}

export async function problemOf(response: Response): Promise<ServerProblem> {
  const text = await response.text();
  const problem =
    response.headers.get('content-type')?.includes('application/problem+json') === true ? parseProblem(text) : null;
  if (problem === null) {
    return new ServerProblem(
      response.status,
      'unexpected_answer',
      `${response.status} ${response.statusText}: ${text.slice(0, 500)}`,
      null,
    );
  }
  const faults = problem.errors.map((fault) => `  ${fault.pointer}: ${fault.detail}`);
  return new ServerProblem(problem.status, problem.code, [problem.detail, ...faults].join('\n'), problem);
}

function parseProblem(text: string): Problem | null {
  try {
    // The content type says what it is; an answer that lies is shown as unexpected below.
    const problem = JSON.parse(text) as Problem;
    return typeof problem.code === 'string' && Array.isArray(problem.errors) ? problem : null;
  } catch {
    return null;
  }
}
