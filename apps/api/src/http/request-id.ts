import type { IncomingMessage } from 'node:http';
import { v7 as uuidv7 } from 'uuid';

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's `X-Request-Id` when it is harmless to log and echo, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && ACCEPTED.test(given) ? given : `req_${uuidv7()}`;
}
