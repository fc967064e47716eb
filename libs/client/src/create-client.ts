import createFetchClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from './openapi.gen.js';
import { problemOf, ServerUnreachable } from './server-problem.js';

export type ClientOptions = {
  /** Where the API listens, for instance `http://127.0.0.1:7117`. */
  readonly url: string;
  /** `weir_<id>_<secret>`; null for what needs no key. */
  readonly apiKey: string | null;
  readonly fetch?: typeof fetch;
};

export type WeirClient = {
  readonly url: string;
  /**
   * Every operation by method and path: `api.GET('/v1/runs/{run}', { params: { path: { run } } })`. Its promise rejects with
   * ServerProblem or ServerUnreachable, so `data` of what it resolves to is there; `dataOf` takes it out.
   */
  readonly api: Client<paths>;
  /** What event streams and bodies without a schema are asked with. Rejects as `api` does. */
  readonly open: (path: string, init?: RequestInit) => Promise<Response>;
};

export function createWeirClient(options: ClientOptions): WeirClient {
  const authorization: Record<string, string> =
    options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` };
  const request = options.fetch ?? fetch;
  const api = createFetchClient<paths>({
    baseUrl: options.url,
    headers: authorization,
    fetch: (input) => request(input),
  });
  api.use(refusals(options.url));
  return {
    url: options.url,
    api,
    open: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries(authorization)) headers.set(name, value);
      const response = await request(new URL(path, options.url), { ...init, headers }).catch((cause: unknown) => {
        if (init.signal?.aborted === true) throw cause;
        throw new ServerUnreachable(options.url, cause);
      });
      if (!response.ok) throw await problemOf(response);
      return response;
    },
  };
}

function refusals(url: string): Middleware {
  return {
    onResponse: async ({ response }) => {
      if (!response.ok) throw await problemOf(response);
    },
    onError: ({ error, request }) => (request.signal.aborted ? undefined : new ServerUnreachable(url, error)),
  };
}

/** The body of an answer. */
export async function dataOf<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  if (data === undefined) throw new Error('The answer has no body.');
  return data;
}
