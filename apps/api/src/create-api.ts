import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { findApiKey } from '#libs/event-store';
import { NestLogger } from '#libs/platform';
import type { ApiParts } from './api-parts.js';
import { ApiModule } from './api.module.js';
import { AuthGuard } from './auth/auth.guard.js';
import { authoriseEarly } from './auth/authorise-early.js';
import { KeyRegistry } from './auth/key-registry.js';
import { ProgressHub } from './events/progress-hub.js';
import { createApiMetrics, type ApiMetrics } from './health/metrics.js';
import { addBodyParsers, BODY_LIMIT_BYTES } from './http/body-parsers.js';
import { answerBadSocket, answerBadUrl, MOST_PATH_PART_CHARS } from './http/early-problems.js';
import { logRequests } from './http/log-requests.js';
import { ProblemFilter } from './http/problem.filter.js';
import { requestIdOf } from './http/request-id.js';
import { traceRequests } from './http/trace-requests.js';
import { ValidationPipe } from './http/validation.pipe.js';
import { createOpenApiDocument } from './openapi/openapi-document.js';

export type Api = { app: NestFastifyApplication; document: OpenAPIObject };

/** Sockets that clients keep open are closed within this time at shutdown. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** Until a request has arrived as a whole: else a client that stops in the middle of its body keeps its socket for ever. */
const REQUEST_TIMEOUT_MS = 300_000;

/**
 * The API, initialised and not yet listening.
 * @param options.docs serve `/docs` (its assets need modules that Jest on Node 20 cannot load).
 */
export async function createApi(parts: ApiParts, options: { docs: boolean }): Promise<Api> {
  const keys = new KeyRegistry((keyId) => findApiKey(parts.database.kysely, keyId));
  const hub = new ProgressHub(parts.engine.wakeups);
  const metrics = createApiMetrics(parts);
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: requestIdOf,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Event streams end when they are told to; what is left is cut, or a shutdown would wait for idle clients.
    forceCloseConnections: true,
    frameworkErrors: answerBadUrl,
    clientErrorHandler: answerBadSocket,
    routerOptions: { maxParamLength: MOST_PATH_PART_CHARS },
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.forRoot({ parts, keys, hub, metrics }),
    adapter,
    {
      // Nest tells each route it maps; the OpenAPI document says it better.
      logger: new NestLogger(parts.logger.child({}, { level: quieter(parts.logger.level) })),
      abortOnError: false,
      bodyParser: false,
    },
  );
  app.useGlobalFilters(new ProblemFilter(parts.logger));
  app.useGlobalGuards(new AuthGuard(keys));
  app.useGlobalPipes(new ValidationPipe());
  addBodyParsers(adapter.getInstance());
  traceRequests(adapter.getInstance(), parts.tracing);
  logRequests(adapter.getInstance(), parts.logger);
  addHooks(adapter, metrics);
  let known: OpenAPIObject | null = null;
  authoriseEarly(adapter.getInstance(), keys, () => known);
  const document = createOpenApiDocument(app, parts.version);
  known = document;
  adapter.getInstance().get('/openapi.json', (_request, reply) => reply.send(document));
  if (options.docs) SwaggerModule.setup('docs', app, document, { raw: false, customSiteTitle: 'Weir API' });
  await app.init();
  return { app, document };
}

function quieter(level: string): string {
  return level === 'info' ? 'warn' : level;
}

/** The documentation runs its own scripts and asks this API; its styles are in the page. All else is no page. */
const contentPolicy = (url: string): string =>
  /^\/docs(?:[/?]|$)/.test(url)
    ? "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    : "default-src 'none'; frame-ancestors 'none'";

function addHooks(adapter: FastifyAdapter, metrics: ApiMetrics): void {
  const server = adapter.getInstance();
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('content-security-policy', contentPolicy(request.url));
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.requestEnded({
      method: request.method,
      route,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    done();
  });
}
