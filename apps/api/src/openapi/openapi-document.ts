import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { problemSchema } from '../http/problem.js';

const DESCRIPTION = `Pipelines of LLM agents with contexts rebuilt from stored events.

Errors are \`application/problem+json\` (RFC 9457). Lists take \`limit\` and \`cursor\` and answer \`{data, next_cursor, has_more}\`.
Sizes are Unicode code points, times RFC 3339 in UTC. What a key without \`content:read\` may not see is null.`;

type ConvertedSchema = { schema: object; components: Record<string, object> };

/** The OpenAPI 3.1 document, made of the zod schemas that validate requests. */
export function createOpenApiDocument(app: INestApplication, version: string): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Weir')
    .setDescription(DESCRIPTION)
    .setVersion(version)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: '`weir_<id>_<secret>`' }, 'key')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    standardSchemaConverter: (schema, { schemaType }) =>
      schema instanceof z.ZodType ? convert(schema, schemaType) : undefined,
  });
  const problem = convert(problemSchema, 'output');
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...problem.components },
  };
  return document;
}

/** A schema with an id becomes a component and a reference to it, its nested ones as well. */
function convert(schema: z.ZodType, io: 'input' | 'output'): ConvertedSchema {
  const json = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  pointToComponents(json);
  const { $schema: _dialect, $defs, id, ...rest } = json;
  const components: Record<string, object> = Object.fromEntries(
    Object.entries($defs ?? {}).map(([name, definition]) => [name, withoutId(definition)]),
  );
  if (id === undefined) return { schema: rest, components };
  return { schema: { $ref: `#/components/schemas/${id}` }, components: { ...components, [id]: rest } };
}

const DEFINITIONS = '#/$defs/';

/** References lead into the document instead of the schema they stand in. */
function pointToComponents(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  if ('$ref' in part && typeof part.$ref === 'string')
    part.$ref = part.$ref.replace(DEFINITIONS, '#/components/schemas/');
  Object.values(part).forEach(pointToComponents);
}

function withoutId(definition: object): object {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => key !== 'id'));
}
