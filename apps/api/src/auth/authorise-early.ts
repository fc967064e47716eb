import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { API_KEY_SCOPES } from '#libs/engine';
import { problemOf } from '../http/problem-of.js';
import { pathOf, sendProblem } from '../http/problem.filter.js';
import { authorise } from './authorise.js';
import type { KeyRegistry } from './key-registry.js';

const operation = z.looseObject({ 'x-required-scope': z.enum([...API_KEY_SCOPES, 'any', 'public']) });
type Scope = z.output<typeof operation>['x-required-scope'];

/**
 * Refuses strangers before their body is read: without a key nobody makes this process parse ten megabytes. The guard in
 * front of each handler asks again; it alone decides.
 * @param document of the API, once it is there: which route needs which scope.
 */
export function authoriseEarly(server: FastifyInstance, keys: KeyRegistry, document: () => OpenAPIObject | null): void {
  let scopes: ReadonlyMap<string, Scope> | null = null;
  server.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const known = document();
    if (known === null) return;
    scopes ??= scopesOf(known);
    const scope = scopes.get(`${request.method} ${request.routeOptions.url ?? ''}`);
    if (scope === undefined || scope === 'public') return;
    try {
      await authorise(keys, request, scope);
    } catch (error) {
      const problem = problemOf(error, { instance: pathOf(request.url), requestId: request.id });
      // A body that was not read would be taken for the next request.
      if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined)
        reply.header('connection', 'close');
      return sendProblem(reply, problem);
    }
  });
}

/** By method and path as the router writes them. */
function scopesOf({ paths }: OpenAPIObject): ReadonlyMap<string, Scope> {
  const scopes = new Map<string, Scope>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, given] of Object.entries(methods)) {
      const parsed = operation.safeParse(given);
      const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
      if (parsed.success) scopes.set(`${method.toUpperCase()} ${route}`, parsed.data['x-required-scope']);
    }
  return scopes;
}
