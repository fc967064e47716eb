import type { FastifyInstance } from 'fastify';
import { traceparentOf, type Tracing } from '#libs/platform';
import { inTraceScope, type TraceScope } from '../../../runtime/src/index.js';

/**
 * Everything below a request joins the caller's trace: runs are stored with it, also while tracing is off here. Event
 * streams, health and metrics make no spans.
 */
export function traceRequests(server: FastifyInstance, { start }: Tracing): void {
  const scopes = new WeakMap<object, TraceScope>();
  server.addHook('onRequest', (request, _reply, done) => {
    const parent = traceparentOf(request.headers['traceparent']);
    const route = request.routeOptions.url ?? 'unknown';
    const isTraced = start !== null && route.startsWith('/v1/') && !route.endsWith('/stream');
    const span = isTraced
      ? start(`${request.method} ${route}`, {
          ...{ kind: 'server', parent },
          attributes: { 'http.request.method': request.method, 'http.route': route, 'weir.request_id': request.id },
        })
      : null;
    const scope: TraceScope = { traceparent: span?.traceparent ?? parent, span };
    scopes.set(request, scope);
    if (scope.traceparent === null) done();
    else inTraceScope(scope, done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const span = scopes.get(request)?.span;
    span?.set({ 'http.response.status_code': reply.statusCode });
    if (reply.statusCode >= 500) span?.fail(String(reply.statusCode));
    span?.end();
    done();
  });
}
