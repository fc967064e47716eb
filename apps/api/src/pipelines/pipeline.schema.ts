import { z } from 'zod';
import { pageQuery } from '../http/list-page.js';
import { anyJson, time, versionInBody } from '../http/scalars.js';


export const applyQuery = z.strictObject({ promote: z.enum(['true', 'false']).default('true') });

const note = z.object({ path: z.string(), code: z.string(), detail: z.string() });

export const appliedPipeline = z
  .object({
    name: z.string(),
    version: z.int(),
    created: z.boolean(),
    promoted: z.boolean(),
    notes: z.array(note),
  })
  .meta({ id: 'AppliedPipeline', description: '`created` is false when the content was that of the latest version already.' });
export type AppliedPipeline = z.output<typeof appliedPipeline>;

export const validatedPipeline = z.object({ valid: z.literal(true), name: z.string(), notes: z.array(note) }).meta({ id: 'ValidatedPipeline' });
export type ValidatedPipeline = z.output<typeof validatedPipeline>;

const alias = z.object({ version: z.int(), weight: z.int(), updated_at: time });

export const pipeline = z
  .object({ name: z.string(), latest_version: z.int(), aliases: z.record(z.string(), alias), created_at: time })
  .meta({ id: 'Pipeline' });
export type Pipeline = z.output<typeof pipeline>;

export const pipelineVersionSummary = z
  .object({ version: z.int(), content_hash: z.string(), created_at: time })
  .meta({ id: 'PipelineVersionSummary' });
export type PipelineVersionSummary = z.output<typeof pipelineVersionSummary>;

export const pipelineVersion = pipelineVersionSummary.extend({ name: z.string(), document: anyJson }).meta({ id: 'PipelineVersion' });
export type PipelineVersion = z.output<typeof pipelineVersion>;

export const aliasBody = z.strictObject({ version: versionInBody, weight: z.int().min(0).max(100).default(100) }).meta({ id: 'SetAlias' });
export type AliasBody = z.output<typeof aliasBody>;
export const aliasName = z.enum(['live', 'canary']);
export const setAlias = z.object({ name: z.string(), alias: aliasName, version: z.int(), weight: z.int() }).meta({ id: 'Alias' });
export type SetAlias = z.output<typeof setAlias>;

export const pipelineListQuery = z.strictObject(pageQuery);

const graphNode = z.object({
  id: z.string(),
  kind: z.string(),
  inside: z.string().nullable(),
  join: z.enum(['all', 'any']),
  when: z.string().nullable(),
});
const graphEdge = z.object({ from: z.string(), to: z.string(), kind: z.enum(['depends_on', 'on_error']) });

export const pipelineGraph = z
  .object({ name: z.string(), version: z.int(), nodes: z.array(graphNode), edges: z.array(graphEdge) })
  .meta({ id: 'PipelineGraph', description: '`inside` names the step whose body a node belongs to.' });
export type PipelineGraph = z.output<typeof pipelineGraph>;
