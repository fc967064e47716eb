import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { AppError } from '#libs/domain';
import { REQUIRED_SCOPE, type RequiredScope } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { rememberCaller } from './caller.js';
import type { KeyRegistry } from './key-registry.js';

/** A route without a declared scope is a bug and answers nobody. */
export class AuthGuard implements CanActivate {
  private readonly reflector = new Reflector();

  constructor(private readonly keys: KeyRegistry) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const scope = this.reflector.get<RequiredScope | undefined>(REQUIRED_SCOPE, context.getHandler());
    if (scope === undefined) {
      throw new AppError(
        'route_without_scope',
        `${context.getClass().name}.${context.getHandler().name} needs @Operation.`,
      );
    }
    if (scope === 'public') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = await this.keys.authenticate(bearerToken(request));
    if (caller === null) {
      throw new ProblemError(
        'key_invalid',
        'The API key is unknown, revoked or mistyped. Keys have the form weir_<id>_<secret>.',
      );
    }
    if (scope !== 'any' && !caller.scopes.has(scope)) {
      throw new ProblemError('scope_missing', `This needs a key with the scope ${scope}.`, { requiredScope: scope });
    }
    rememberCaller(request, caller);
    return true;
  }
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
