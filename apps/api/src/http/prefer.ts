import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

/** Proxies close idle requests after a minute or so. */
const MAX_WAIT_S = 60;

/** Seconds of `Prefer: wait=N` (RFC 7240), at most 60; null without one. Preferences that are not understood are ignored. */
export function preferredWaitS(header: string | string[] | undefined): number | null {
  const preferences = [header ?? ''].flat().join(',').split(',');
  for (const preference of preferences) {
    const match = /^\s*wait\s*=\s*"?(\d{1,6})"?\s*(;.*)?$/i.exec(preference);
    if (match?.[1] !== undefined) return Math.min(Number(match[1]), MAX_WAIT_S);
  }
  return null;
}

export const FromPreferredWait = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  preferredWaitS(context.switchToHttp().getRequest<FastifyRequest>().headers['prefer']),
);

export const ApiPreferWait = (): MethodDecorator =>
  ApiHeader({
    name: 'prefer',
    required: false,
    description: '`wait=30`: answer 200 with the ended run if it ends within so many seconds (at most 60), else 202.',
    schema: { type: 'string' },
  });
