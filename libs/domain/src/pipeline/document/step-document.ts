import { z } from 'zod';
import { PIPELINE_LIMITS } from '../pipeline-limits.js';
import {
  closedObject,
  contextBlock,
  countFrom,
  duration,
  expression,
  jsonSchemaObject,
  modelName,
  stepId,
  template,
  templateJson,
} from './document-scalars.js';

export const retryDocument = closedObject({
  max_attempts: countFrom(1, PIPELINE_LIMITS.maxAttempts).optional().describe('The first one counts: 1 never retries.'),
  backoff: duration.optional(),
  max_backoff: duration.optional(),
  jitter: z.boolean().optional(),
});

const partSource = { media_type: z.string().optional(), data: template.optional(), url: template.optional() };

const taskPart = z.discriminatedUnion(
  'type',
  [
    closedObject({ type: z.literal('text'), text: template }),
    closedObject({ type: z.literal('image'), ...partSource }),
    closedObject({ type: z.literal('document'), name: template.optional(), ...partSource }),
  ],
  { error: 'a part with type text, image or document' },
);

const body = closedObject({
  steps: z.lazy(() => z.array(stepDocument).min(1)),
  output: templateJson.optional().describe('The body’s output; else that of its last step.'),
});

const onError = z.union([z.enum(['fail', 'continue']), closedObject({ goto: stepId })], {
  error: 'fail, continue or { goto: step id }',
});

const approval = closedObject({
  prompt: template,
  form: jsonSchemaObject.optional(),
  timeout: duration.optional(),
  on_timeout: z.enum(['deny', 'approve', 'fail']).optional(),
});

const waitFor = closedObject({ signal: z.string().min(1).max(128), key: template, timeout: duration.optional() });

/** Keys that belong to every kind. */
const commonKeys = {
  id: stepId,
  depends_on: z.array(stepId).max(PIPELINE_LIMITS.dependenciesPerStep).optional(),
  join: z.enum(['all', 'any']).optional(),
  when: expression.optional(),
  retry: retryDocument.optional(),
  timeout: duration.optional(),
  on_error: onError.optional(),
  context: contextBlock.optional(),
  model: modelName.optional(),
  documents: templateJson.optional().describe('Text handed to the agent beside its task.'),
};

/** Keys of one kind each; `KIND_KEYS` says which. */
const kindKeys = {
  agent: z.string().optional().describe('The name of an agent of this document.'),
  task: z
    .union([template, z.array(taskPart).min(1)], { error: 'text, or a list of parts (text, image, document)' })
    .optional(),
  tool: z.string().optional().describe('The name of a tool: one call.'),
  args: z.record(z.string(), templateJson).optional(),
  transform: templateJson.optional(),
  for_each: templateJson.optional().describe('A list, usually ${…}.'),
  do: z.lazy(() => body).optional(),
  max_parallel: countFrom(1, PIPELINE_LIMITS.maxParallel).optional(),
  on_item_failure: z.enum(['fail', 'continue', 'collect']).optional(),
  repeat: z.literal(true).optional(),
  until: expression.optional(),
  max_iterations: countFrom(1, PIPELINE_LIMITS.maxIterations).optional(),
  pipeline: z.string().optional().describe('A pipeline’s name, or name@version.'),
  inputs: z.record(z.string(), templateJson).optional(),
  stream_id: template.optional(),
  approval: approval.optional(),
  wait_for: waitFor.optional(),
  sleep: z.string().optional().describe('A duration, a time (RFC 3339), or ${…}.'),
};

export const stepDocument: z.ZodType = closedObject({ ...commonKeys, ...kindKeys }).meta({ id: 'Step' });
