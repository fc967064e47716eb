import type { FastifyInstance } from 'fastify';
import type { Logger } from '#libs/platform';

/**
 * A line for each request that has ended: `info` for what may have changed something and for what went wrong, `debug` for
 * reads. The route, not the path, and no query: what callers write there is not ours to keep.
 */
export function logRequests(server: FastifyInstance, logger: Logger): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { method, id, routeOptions } = request;
    const isNews = method !== 'GET' || reply.statusCode >= 400;
    logger[isNews ? 'info' : 'debug'](
      {
        request_id: id,
        method,
        route: routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        duration_ms: Math.round(reply.elapsedTime),
      },
      'request ended',
    );
    done();
  });
}
