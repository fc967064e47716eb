import type { FastifyRequest } from 'fastify';
import type { RequiredScope } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import type { Caller } from './caller.js';
import type { KeyRegistry } from './key-registry.js';

/**
 * Whose key the request carries.
 * @throws ProblemError `key_missing`, `key_invalid`, `scope_missing`
 */
export async function authorise(
  keys: KeyRegistry,
  request: FastifyRequest,
  scope: Exclude<RequiredScope, 'public'>,
): Promise<Caller> {
  const caller = await keys.authenticate(bearerToken(request));
  if (caller === null) {
    throw new ProblemError(
      'key_invalid',
      'The API key is unknown, revoked or mistyped. Keys have the form weir_<id>_<secret>.',
    );
  }
  if (scope !== 'any' && !caller.scopes.has(scope)) {
    throw new ProblemError('scope_missing', `This needs a key with the scope ${scope}.`, { requiredScope: scope });
  }
  return caller;
}

function bearerToken(request: FastifyRequest): string {
  const header = request.headers.authorization;
  if (header === undefined || header === '') {
    throw new ProblemError('key_missing', 'Send the header `Authorization: Bearer weir_<id>_<secret>`.');
  }
  const [scheme, token, ...rest] = header.trim().split(/ +/);
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined || rest.length > 0) {
    throw new ProblemError('key_missing', 'The Authorization header must read `Bearer weir_<id>_<secret>`.');
  }
  return token;
}
