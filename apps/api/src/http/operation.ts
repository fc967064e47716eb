import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import type { ApiKeyScope } from '#libs/engine';
import { PROBLEM_MEDIA_TYPE } from './problem.js';

/** `public`: no key needed. `any`: any valid key. */
export type RequiredScope = ApiKeyScope | 'any' | 'public';

export const REQUIRED_SCOPE = 'weir:required-scope';

export type Answer = { readonly description: string; readonly schema?: z.ZodType; readonly mediaType?: string };

export type OperationOptions = {
  /** The operationId: the client's function names come from it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly scope: RequiredScope;
  /** What the handler answers unless it says otherwise; needed only where there are several. */
  readonly status?: number;
  /** By HTTP status. */
  readonly answers: { readonly [status: number]: Answer };
};

/** A route's identity, scope and answers: one source for the guard, the OpenAPI document and the contract tests. */
export function Operation(options: OperationOptions): MethodDecorator {
  const statuses = Object.keys(options.answers).map(Number);
  return applyDecorators(
    SetMetadata(REQUIRED_SCOPE, options.scope),
    HttpCode(options.status ?? statuses[0] ?? 200),
    ApiOperation({
      operationId: options.id,
      summary: options.summary,
      description: [options.description, scopeSentence(options.scope)]
        .filter((part) => part !== undefined)
        .join('\n\n'),
    }),
    ApiExtension('x-required-scope', options.scope),
    ...(options.scope === 'public' ? [] : [ApiBearerAuth('key')]),
    ...Object.entries(options.answers).map(([status, answer]) => apiAnswer(Number(status), answer)),
    ApiResponse({
      status: 'default',
      description: 'What went wrong.',
      content: { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
    }),
  );
}

function apiAnswer(status: number, answer: Answer): MethodDecorator {
  const { description, schema, mediaType } = answer;
  if (mediaType !== undefined) {
    return ApiResponse({ status, description, content: { [mediaType]: { schema: { type: 'string' } } } });
  }
  return ApiResponse(schema === undefined ? { status, description } : { status, description, standardSchema: schema });
}

function scopeSentence(scope: RequiredScope): string | undefined {
  switch (scope) {
    case 'public':
      return undefined;
    case 'any':
      return 'Needs a valid key.';
    case 'pipelines:write':
    case 'runs:write':
    case 'runs:read':
    case 'content:read':
    case 'approvals:decide':
    case 'admin:read':
    case 'admin:write':
      return `Needs the scope \`${scope}\`.`;
  }
}
