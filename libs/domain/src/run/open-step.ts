import { canonicalJson } from '../canonical-json.js';
import type { Json } from '../json.js';
import type { ExpressionLanguage, ExpressionVariables } from '../pipeline/expression-language.js';
import { PIPELINE_LIMITS } from '../pipeline/pipeline-limits.js';
import type { PipelineStep, SleepStepWork } from '../pipeline/pipeline-step.js';
import { parseSleep } from '../pipeline/read/read-work.js';
import { renderTemplate, type Template } from '../pipeline/template.js';
import type { SleepEnd, StepCommand } from './command.js';
import type { StepPlace } from './run-state.js';

export type OpeningPlace = StepPlace & { readonly kind: string; readonly attempt: number };

type Opening = {
  readonly place: OpeningPlace;
  readonly variables: () => ExpressionVariables;
  readonly language: ExpressionLanguage;
};

/** How a step that is ready begins: most kinds go to a worker; those that only wait or contain others begin at once. */
export function openStep(step: PipelineStep, opening: Opening): StepCommand {
  const { place } = opening;
  switch (step.kind) {
    case 'agent':
    case 'tool':
    case 'transform':
    case 'pipeline':
      return { type: 'queue_step', ...place };
    case 'sleep':
      return openSleep(step, opening);
    case 'approval': {
      const prompt = renderedText(step.prompt, opening);
      if (!prompt.ok) return failed(opening, `approval.prompt: ${prompt.detail}`);
      const wait = {
        for: 'approval',
        prompt: prompt.text,
        form: step.form,
        timeoutMs: step.approvalTimeoutMs,
      } as const;
      return { type: 'open_wait', wait, ...place };
    }
    case 'wait_for': {
      const key = renderedText(step.key, opening);
      if (!key.ok) return failed(opening, `wait_for.key: ${key.detail}`);
      const wait = { for: 'signal', signal: step.signal, key: key.text, timeoutMs: step.waitTimeoutMs } as const;
      return { type: 'open_wait', wait, ...place };
    }
    case 'for_each':
      return openItems(step.items, opening);
    case 'repeat':
      return { type: 'begin_rounds', ...place };
  }
}

type SleepRead = { ok: true; end: SleepEnd } | { ok: false; detail: string };

function openSleep({ sleep }: SleepStepWork, opening: Opening): StepCommand {
  const read: SleepRead = sleep.type === 'template' ? renderedSleep(sleep.template, opening) : { ok: true, end: sleep };
  if (!read.ok) return failed(opening, `sleep: ${read.detail}`);
  return { type: 'open_wait', wait: { for: 'time', until: read.end }, ...opening.place };
}

function renderedSleep(template: string, opening: Opening): SleepRead {
  const rendered = renderTemplate(template, opening.variables(), opening.language);
  if (!rendered.ok) return rendered;
  const sleep = parseSleep(rendered.value);
  if (sleep !== null && sleep.type !== 'template') return { ok: true, end: sleep };
  return {
    ok: false,
    detail: `gave ${shown(rendered.value)}, expected a duration such as 90s or a time with an offset`,
  };
}

function openItems(template: Template, opening: Opening): StepCommand {
  const rendered = renderTemplate(template, opening.variables(), opening.language);
  if (!rendered.ok) return failed(opening, `for_each: ${rendered.detail}`);
  if (!Array.isArray(rendered.value)) return failed(opening, `for_each gave ${shown(rendered.value)}, expected a list`);
  const { length } = rendered.value;
  const { itemsPerStep } = PIPELINE_LIMITS;
  if (length > itemsPerStep)
    return failed(
      opening,
      `for_each gave ${length} elements, at most ${itemsPerStep} are run; split the list over runs`,
    );
  return { type: 'expand_items', items: rendered.value, ...opening.place };
}

function renderedText(template: string, opening: Opening): { ok: true; text: string } | { ok: false; detail: string } {
  const rendered = renderTemplate(template, opening.variables(), opening.language);
  if (!rendered.ok) return rendered;
  return { ok: true, text: typeof rendered.value === 'string' ? rendered.value : canonicalJson(rendered.value) };
}

const shown = (value: Json): string => JSON.stringify(value).slice(0, 80);

function failed({ place }: Opening, detail: string): StepCommand {
  return { type: 'fail_step', error: { code: 'expression_failed', detail, step_id: place.stepId }, ...place };
}
