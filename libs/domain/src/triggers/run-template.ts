import { z } from 'zod';
import { jsonObjectSchema, jsonSchema, type Json } from '../json.js';
import type { ExpressionLanguage, ExpressionVariables } from '../pipeline/expression-language.js';
import { faultAt, type FaultPath } from '../pipeline/fault-writer.js';
import type { PipelineFault } from '../pipeline/pipeline-fault.js';
import { parseTemplate, renderTemplate, textOf, type RenderFailure, type Template } from '../pipeline/template.js';

/** What a schedule or a hook starts. Strings of `inputs`, `stream_id` and `metadata` may hold `${…}`. */
export const runTemplateSchema = z.strictObject({
  pipeline: z.string().min(1).max(128),
  version: z.int().min(1).max(2_147_483_647).nullable().default(null),
  inputs: jsonObjectSchema.default({}),
  stream_id: z.string().min(1).max(2000).nullable().default(null),
  tags: z.array(z.string().min(1).max(128)).max(50).default([]),
  metadata: jsonObjectSchema.default({}),
  priority: z.int().min(-100).max(100).default(0),
});
export type RunTemplate = z.infer<typeof runTemplateSchema>;

/** What a hook may do instead: a signal that a run waits for. All strings may hold `${…}`. */
export const signalTemplateSchema = z.strictObject({
  name: z.string().min(1).max(128),
  key: z.string().min(1).max(2000),
  payload: jsonSchema.default(null),
});
export type SignalTemplate = z.infer<typeof signalTemplateSchema>;

/** Faults of the expressions in a template; `scope` names the variables that exist where it is rendered. */
export function checkTemplate(
  template: Template,
  path: FaultPath,
  scope: readonly string[],
  language: ExpressionLanguage,
): PipelineFault[] {
  if (typeof template === 'string') return checkText(template, path, scope, language);
  if (typeof template !== 'object' || template === null) return [];
  const members: [string | number, Json][] = Array.isArray(template)
    ? template.map((element, index): [number, Json] => [index, element])
    : Object.entries(template);
  return members.flatMap(([key, member]) => checkTemplate(member, [...path, key], scope, language));
}

function checkText(
  text: string,
  path: FaultPath,
  scope: readonly string[],
  language: ExpressionLanguage,
): PipelineFault[] {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return [expressionFault(path, text, scope, parsed.detail)];
  return parsed.parts.flatMap((part) =>
    part.type === 'text' ? [] : checkExpression(part.source.trim(), path, scope, language),
  );
}

/** Faults of one expression, without `${` and `}`. */
export function checkExpression(
  source: string,
  path: FaultPath,
  scope: readonly string[],
  language: ExpressionLanguage,
): PipelineFault[] {
  const checked = language.check(source, scope);
  return checked.ok ? [] : [expressionFault(path, source, scope, checked.detail)];
}

function expressionFault(path: FaultPath, found: string, scope: readonly string[], detail: string): PipelineFault {
  return faultAt(path, {
    code: 'expression_invalid',
    found: found.slice(0, 200),
    expected: `a CEL expression over ${scope.join(', ')}`,
    hint: detail,
  });
}

export type RenderedRun = { readonly ok: true; readonly run: RunTemplate } | RenderFailure;

/** Expands a checked template. What expressions gave is never read again. */
export function renderRunTemplate(
  template: RunTemplate,
  variables: ExpressionVariables,
  language: ExpressionLanguage,
): RenderedRun {
  const { inputs, stream_id, metadata } = template;
  const rendered = renderTemplate({ inputs, stream_id, metadata }, variables, language);
  if (!rendered.ok) return rendered;
  const values = renderedSchema.safeParse(rendered.value);
  if (values.success) return { ok: true, run: { ...template, ...values.data } };
  const detail = values.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  return { ok: false, code: 'expression_failed', detail };
}

/** Numbers are fine as ids: a sender's `42` is the stream `42`. */
const renderedSchema = z.object({
  inputs: jsonObjectSchema,
  stream_id: z
    .union([z.string(), z.number()])
    .nullable()
    .transform((id): string | null => (id === null ? null : String(id))),
  metadata: jsonObjectSchema,
});

const renderedSignalSchema = z.object({ key: jsonSchema, payload: jsonSchema });

export type RenderedSignal =
  { readonly ok: true; readonly signal: { name: string; key: string; payload: Json } } | RenderFailure;

/** Keys that are no text (numbers, objects) become their JSON, as in any text. */
export function renderSignalTemplate(
  template: SignalTemplate,
  variables: ExpressionVariables,
  language: ExpressionLanguage,
): RenderedSignal {
  const rendered = renderTemplate({ key: template.key, payload: template.payload }, variables, language);
  if (!rendered.ok) return rendered;
  const { key, payload } = renderedSignalSchema.parse(rendered.value);
  return { ok: true, signal: { name: template.name, key: textOf(key), payload } };
}
