import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { readinessOf, type ReadinessCheck } from './readiness.js';

export type HealthServer = { url: string; close(): Promise<void> };

export type HealthServerOptions = {
  host: string;
  /** 0: any free one. */ port: number;
  checks: readonly ReadinessCheck[];
  /** What of the process has stopped. */
  stalls: () => readonly string[];
  metrics: Registry;
};

/**
 * `/health/live`, `/health/ready`, `/metrics` of a process without an API. Live: the event loop turns and so does all that the
 * watchdog looks at; whatever else is wrong, starting again would not help.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port } = options;
  const known = routes(options);
  const server = createServer((request, response) => {
    answer(request, response, known).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  server.keepAliveTimeout = 1000;
  await listen(server, host, port);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Route = (response: ServerResponse) => Promise<void> | void;

function routes({ checks, stalls, metrics }: HealthServerOptions): ReadonlyMap<string, Route> {
  return new Map<string, Route>([
    [
      '/health/live',
      (response) => {
        const found = stalls();
        if (found.length === 0) json(response, 200, { status: 'live' });
        else json(response, 503, { status: 'stalled', stalls: found });
      },
    ],
    [
      '/health/ready',
      async (response) => {
        const { ready, checks: results } = await readinessOf(checks);
        json(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready', checks: results });
      },
    ],
    [
      '/metrics',
      async (response) =>
        void response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.metrics()),
    ],
  ]);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  known: ReadonlyMap<string, Route>,
): Promise<void> {
  const route = known.get((request.url ?? '/').split('?')[0] ?? '/');
  if (route === undefined)
    return problem(
      response,
      404,
      'not_found',
      'Here are /health/live, /health/ready and /metrics; the API is another process.',
    );
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return problem(response, 405, 'method_not_allowed', 'Only GET is answered here.');
  await route(response);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}

function problem(response: ServerResponse, status: number, code: string, detail: string): void {
  response
    .writeHead(status, { 'content-type': 'application/problem+json' })
    .end(JSON.stringify({ type: 'about:blank', title: code.replaceAll('_', ' '), status, code, detail }));
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
