import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { documentOf } from './yaml-document.js';

/** The body as a document, from JSON or YAML. */
export const FromDocument = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  documentOf(context.switchToHttp().getRequest<FastifyRequest>().body),
);

/** Documents a body that may come in either media type. */
export const ApiDocument = (description: string): MethodDecorator =>
  applyDecorators(
    ApiConsumes('application/json', 'application/yaml'),
    ApiBody({ description, required: true, schema: { type: 'object', additionalProperties: true } }),
  );
