import { z } from 'zod';
import { AppError, jsonSchema, type Json } from '#libs/domain';
import { UnreachableError } from '../terminal/exit-code.js';

export type RequestOptions = {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** Speaks to a running Weir. Bodies are what `/openapi.json` describes; callers check what they read. */
export type WeirClient = {
  readonly url: string;
  /** The answer's JSON (null when it has no body). Throws ProblemError for any other answer than 2xx. */
  readonly request: (method: string, path: string, options?: RequestOptions) => Promise<Json>;
  /** The answer itself, for streams. Throws like `request`. */
  readonly open: (method: string, path: string, options?: RequestOptions) => Promise<Response>;
};

const problemSchema = z.looseObject({
  status: z.number(),
  code: z.string(),
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.looseObject({ pointer: z.string().optional(), detail: z.string().optional() })).optional(),
});

/** An `application/problem+json` answer; `code` is the server's. */
export class ProblemError extends AppError {
  override readonly name = 'ProblemError';

  constructor(
    readonly status: number,
    code: string,
    message: string,
    readonly problem: Json,
  ) {
    super(code, message, { status });
  }
}

export function createWeirClient(options: { readonly url: string; readonly apiKey: string | null }): WeirClient {
  const open = async (method: string, path: string, request: RequestOptions = {}): Promise<Response> => {
    const url = new URL(path, options.url);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== null && value !== undefined) url.searchParams.set(name, String(value));
    }
    const response = await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` }),
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    }).catch((cause: unknown) => {
      if (request.signal?.aborted === true) throw cause;
      throw new UnreachableError(options.url, cause);
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  };
  return {
    url: options.url,
    open,
    request: async (method, path, request) => {
      const text = await (await open(method, path, request)).text();
      return text === '' ? null : jsonSchema.parse(JSON.parse(text));
    },
  };
}

async function problemOf(response: Response): Promise<ProblemError> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy's page, say: shown as it is.
    return new ProblemError(
      response.status,
      'unexpected_answer',
      `${response.status} ${response.statusText}: ${text.slice(0, 500)}`,
      null,
    );
  }
  const problem = problemSchema.safeParse(body);
  if (!problem.success) return new ProblemError(response.status, 'unexpected_answer', text.slice(0, 500), null);
  const { status, code, title, detail, errors = [] } = problem.data;
  const lines = errors.map((error) => `  ${error.pointer ?? ''}: ${error.detail ?? ''}`);
  return new ProblemError(status, code, [detail ?? title ?? code, ...lines].join('\n'), jsonSchema.parse(body));
}
