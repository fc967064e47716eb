import { effectivePolicy, unavailableDetail, unavailableSections, usesDefaultPolicy } from '#libs/context';
import {
  allSteps,
  canonicalJson,
  effectiveStep,
  parsePipeline,
  type Json,
  type PipelineDefinition,
  type PipelineFault,
  type PipelineNote,
} from '#libs/domain';
import type { EngineDeps } from './engine-deps.js';
import { sha256 } from './new-event.js';

export type ApplyPipeline = { projectId: string; name: string; document: Json; promote: boolean };

export type ApplyResult =
  /** `created` false: the same content was there already, nothing changed. */
  | { ok: true; name: string; version: number; created: boolean; notes: readonly PipelineNote[] }
  | { ok: false; errors: readonly PipelineFault[] };

export type ValidateResult =
  | { ok: true; definition: PipelineDefinition; notes: readonly PipelineNote[] }
  | { ok: false; errors: readonly PipelineFault[] };

/** Checks a document and, if it is sound, stores it as the next version; the same content again changes nothing. */
export async function applyPipeline(deps: EngineDeps, command: ApplyPipeline): Promise<ApplyResult> {
  const checked = validatePipeline(deps, command.document);
  if (!checked.ok) return checked;
  if (checked.definition.name !== command.name)
    return { ok: false, errors: [nameFault(command.name, checked.definition.name)] };
  const contentHash = sha256(canonicalJson(command.document));
  const { projectId, name, document, promote } = command;
  const applied = await deps.pipelines.applyVersion({ projectId, name, document, contentHash, promote });
  return { ok: true, name, ...applied, notes: checked.notes };
}

/** All faults at once, or the definition with what its author should know. */
export function validatePipeline(deps: EngineDeps, document: unknown): ValidateResult {
  const parsed = parsePipeline(document, deps.pipelineFacts);
  if (!parsed.ok) return { ok: false, errors: parsed.errors };
  const unavailable = sectionFaults(deps, parsed.definition);
  if (unavailable.length > 0) return { ok: false, errors: unavailable };
  const notes = [...parsed.notes, ...contextNotes(deps, parsed.definition)];
  return { ok: true, definition: parsed.definition, notes };
}

function nameFault(expected: string, found: string): PipelineFault {
  return {
    path: 'name',
    code: 'name_differs',
    found,
    expected,
    detail: `the document is named ${found}, the address says ${expected}; make them the same`,
  };
}

function sectionFaults(deps: EngineDeps, definition: PipelineDefinition): PipelineFault[] {
  const agents = [...allSteps(definition.steps)].filter((step) => step.kind === 'agent');
  const sections = agents.flatMap((step) => {
    const levels = effectiveStep(definition, step.id)?.contextLevels;
    return unavailableSections(effectivePolicy({ ...levels, settings: deps.settings.serverContext }, false));
  });
  return [...new Set(sections)].map((section) => ({
    path: `context.${section}`,
    code: 'section_not_available',
    found: section,
    expected: 'window',
    detail: unavailableDetail(section),
  }));
}

function contextNotes(deps: EngineDeps, definition: PipelineDefinition): PipelineNote[] {
  const agents = definition.steps.filter((step) => step.kind === 'agent');
  const unnamed = agents.some((step) =>
    usesDefaultPolicy({ ...effectiveStep(definition, step.id)?.contextLevels, settings: deps.settings.serverContext }),
  );
  if (!unnamed) return [];
  const detail =
    'no context policy is named: the defaults are in use (preset coding_agent: window 10 turns, soft cap 400,000, hard cap 600,000 chars); docs/guide/context.md explains the presets';
  return [{ path: 'context', code: 'default_context_policy', detail }];
}
