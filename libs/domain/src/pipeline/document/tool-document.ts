import { z } from 'zod';
import { TOOL_KINDS } from '../tool-definition.js';
import { closedObject, description, duration, jsonSchemaObject, template, templateJson } from './document-scalars.js';

/** All keys of all kinds: which belong to which kind is `TOOL_KIND_KEYS`, so that one wrong key is one fault. */
export const toolDocument = closedObject({
  kind: z.enum(TOOL_KINDS),
  description: description.optional(),
  parameters: jsonSchemaObject.optional(),
  effect: z.enum(['read_only', 'idempotent', 'idempotent_with_key', 'non_idempotent']).optional(),
  timeout: duration.optional(),
  requires_approval: z.boolean().optional(),
  primary_argument: z.string().optional().describe('The argument that stands for the call when its result is masked.'),
  on_unknown_outcome: z.enum(['ask', 'fail', 'tell_model']).optional(),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  url: template.optional(),
  query: z.record(z.string(), templateJson).optional(),
  headers: z.record(z.string(), template).optional(),
  body: templateJson.optional(),
  result: z
    .enum(['now', 'later'])
    .optional()
    .describe('later: what the endpoint answers is a receipt; the result is sent to …/calls/{n}/result.'),
  server: z.string().optional().describe('An MCP server of the operator’s settings.'),
  tool: z.string().optional().describe('The tool’s name on the MCP server; else the name here.'),
  builtin: z.string().optional(),
  pipeline: z.string().optional().describe('A pipeline’s name, or name@version.'),
  plugin: z.string().optional(),
  recording: z.string().optional(),
}).meta({ id: 'Tool' });
