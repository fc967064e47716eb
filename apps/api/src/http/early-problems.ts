import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { problemOf } from './problem-of.js';
import type { ProblemCode } from './problem-codes.js';
import { ProblemError } from './problem-error.js';
import { sendProblem } from './problem.filter.js';
import { PROBLEM_MEDIA_TYPE } from './problem.js';

/** Of what stands between two slashes where a route has an id. */
export const MOST_PATH_PART_CHARS = 500;

/** A path that cannot be read: the framework fails before any route, and so before our filter. */
export function answerBadUrl(error: Error & { code?: string }, request: FastifyRequest, reply: FastifyReply): void {
  const detail =
    error.code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? `A part of the path has more than ${MOST_PATH_PART_CHARS} characters.`
      : 'The path of the request cannot be decoded.';
  const cause = new ProblemError('malformed_request', detail);
  void sendProblem(
    reply.header('x-request-id', request.id),
    problemOf(cause, { instance: '/', requestId: request.id }),
  );
}

/** Faults of a socket by node's codes; any other is bytes that are not HTTP. */
const SOCKET_FAULTS: ReadonlyMap<string | undefined, [ProblemCode, detail: string, reason: string]> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    ['headers_too_large', 'The headers of the request are too large.', 'Request Header Fields Too Large'],
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    [
      'request_timeout',
      'The request did not arrive in time: headers within a minute, all of it within five.',
      'Request Timeout',
    ],
  ],
]);

const NOT_HTTP = ['malformed_request', 'The request is not HTTP/1.1.', 'Bad Request'] as const;

/** Bytes that are not HTTP, too many headers, or too few for too long: there is no request to answer, only a socket. */
export function answerBadSocket(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const [code, detail, reason] = SOCKET_FAULTS.get(error.code) ?? NOT_HTTP;
  const problem = problemOf(new ProblemError(code, detail), { instance: '/', requestId: `req_${uuidv7()}` });
  const body = JSON.stringify(problem);
  const head = `HTTP/1.1 ${problem.status} ${reason}\r\ncontent-type: ${PROBLEM_MEDIA_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
}
