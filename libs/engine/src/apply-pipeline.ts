import {
  canonicalJson,
  parsePipeline,
  type Json,
  type PipelineDefinition,
  type PipelineFault,
  type PipelineNote,
} from '#libs/domain';
import { contextFaults, contextNotes } from './check-contexts.js';
import { toolFaults } from './check-tools.js';
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
  const errors = [...toolFaults(deps, parsed.definition), ...contextFaults(deps, parsed.definition)];
  if (errors.length > 0) return { ok: false, errors };
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
