import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppError } from '#libs/domain';
import type { ApiKeyScope } from '#libs/engine';

/** Whose key a request carries. All it may see or do is inside `projectId`. */
export type Caller = {
  readonly projectId: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<string>;
};

const callers = new WeakMap<FastifyRequest, Caller>();

export function rememberCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller !== undefined) return caller;
  throw new AppError('caller_missing', 'A route that is public asked for the caller; give it a scope.');
}

export const hasScope = (caller: Caller, scope: ApiKeyScope): boolean => caller.scopes.has(scope);

/** The caller as a handler's argument. */
export const FromCaller = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
