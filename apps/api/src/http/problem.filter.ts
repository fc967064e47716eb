import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '#libs/platform';
import { problemOf } from './problem-of.js';
import { PROBLEM_MEDIA_TYPE, type Problem } from './problem.js';

/** Everything thrown on the way to an answer, by our handlers or by the framework, ends here as problem+json. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = problemOf(thrown, { instance: pathOf(request.url), requestId: request.id });
    if (problem.status >= 500) {
      this.logger.error({ err: thrown, request_id: request.id, code: problem.code }, 'request failed');
    }
    // An event stream that has begun carries its own end; a status can no longer be sent.
    if (reply.sent) return;
    void sendProblem(reply, problem);
  }
}

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="weir"');
  if (problem.retry_after_ms !== null) reply.header('retry-after', Math.ceil(problem.retry_after_ms / 1000));
  return reply
    .status(problem.status)
    .header('content-type', PROBLEM_MEDIA_TYPE)
    .send(Buffer.from(JSON.stringify(problem)));
}

export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
