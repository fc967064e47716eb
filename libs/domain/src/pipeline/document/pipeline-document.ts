import { z } from 'zod';
import { PIPELINE_LIMITS } from '../pipeline-limits.js';
import { STEP_KINDS } from '../pipeline-step.js';
import {
  closedObject,
  contextBlock,
  countFrom,
  description,
  duration,
  jsonSchemaObject,
  modelName,
  template,
  templateJson,
} from './document-scalars.js';
import { retryDocument, stepDocument } from './step-document.js';
import { toolDocument } from './tool-document.js';

const inputDocument = closedObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'object', 'array']),
  description: description.optional(),
  required: z.boolean().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).min(1).optional(),
  min_length: z.int().min(0).optional().describe('Unicode code points.'),
  max_length: z.int().min(0).optional().describe('Unicode code points.'),
  min: z.number().optional(),
  max: z.number().optional(),
  min_items: z.int().min(0).optional(),
  max_items: z.int().min(0).optional(),
}).meta({ id: 'Input' });

const agentDocument = closedObject({
  model: modelName.optional(),
  fallback_models: z.array(modelName).max(10).optional(),
  system_prompt: template.optional(),
  tools: z.array(z.string()).max(PIPELINE_LIMITS.toolsPerAgent).optional(),
  output_schema: jsonSchemaObject.optional(),
  max_turns: countFrom(1, PIPELINE_LIMITS.maxTurns).optional(),
  on_max_turns: z.enum(['answer', 'fail']).optional(),
  max_tool_calls_per_turn: countFrom(0, PIPELINE_LIMITS.maxToolCallsPerTurn).optional(),
  context: contextBlock.optional(),
  temperature: z.number().min(0).max(2).optional(),
  max_output_tokens: z.int().min(1).optional(),
  stop: z.array(z.string().min(1)).max(16).optional(),
  reasoning: z.unknown().optional(),
  extra: z.record(z.string(), z.unknown()).optional().describe('Passed to the provider as it is.'),
}).meta({ id: 'Agent' });

const defaultsDocument = closedObject({
  model: modelName.optional(),
  timeout: duration.optional(),
  retry: retryDocument.optional(),
});

const spendLimitDocument = closedObject({
  tokens: z.int().min(1).optional(),
  cost_usd: z.number().positive({ error: 'more than 0' }).optional(),
  tool_calls: z.int().min(0).optional(),
  on_exceeded: z.enum(['pause', 'fail']).optional(),
});

/** The document as authors write it. The stored form of a version is a document that this and the checks accept. */
export const pipelineDocument = closedObject({
  name: z.string(),
  description: description.optional(),
  inputs: z.record(z.string(), inputDocument).optional(),
  defaults: defaultsDocument.optional(),
  context: contextBlock.optional(),
  agents: z.record(z.string(), agentDocument).optional(),
  tools: z.record(z.string(), toolDocument).optional(),
  steps: z.array(stepDocument).min(1),
  output: templateJson.optional(),
  on_busy: z.enum(['enqueue', 'reject', 'interrupt', 'parallel']).optional(),
  spend_limit: spendLimitDocument.optional(),
  concurrency: closedObject({ key: template, limit: countFrom(1, 100_000) }).optional(),
  timeout: duration.optional(),
  tags: z.array(z.string().min(1).max(PIPELINE_LIMITS.tagChars)).max(PIPELINE_LIMITS.tags).optional(),
});

/**
 * JSON Schema (draft 2020-12) of the document, for editors. It knows the shape; names, references, expressions and
 * policies are checked by `parsePipeline` only.
 */
export function pipelineJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(pipelineDocument, { io: 'input' });
  const step = schema.$defs?.['Step'];
  if (step !== undefined) step['oneOf'] = STEP_KINDS.map((kind) => ({ required: [kind] }));
  return { ...schema, title: 'Weir pipeline' };
}
