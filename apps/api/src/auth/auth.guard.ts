import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { AppError } from '#libs/domain';
import { REQUIRED_SCOPE, type RequiredScope } from '../http/operation.js';
import { authorise } from './authorise.js';
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
    const caller = await authorise(this.keys, request, scope);
    rememberCaller(request, caller);
    return true;
  }
}
