import { checkCounts } from './check/check-counts.js';
import { checkExpressions } from './check/check-expressions.js';
import { checkFeatures } from './check/check-features.js';
import { checkGraph } from './check/check-graph.js';
import { checkInjected } from './check/check-injected.js';
import { checkNames } from './check/check-names.js';
import { stepGraph } from './check/step-graph.js';
import { toDocumentJson } from './document/document-json.js';
import { expectedWords } from './document/expected-words.js';
import { pipelineDocument } from './document/pipeline-document.js';
import { reportIssue } from './document/report-issue.js';
import { describeValue, faultAt } from './fault-writer.js';
import { isJsonObject } from './json-object.js';
import type { JsonObject } from '../json.js';
import type { PipelineDefinition } from './pipeline-definition.js';
import type { PipelineFacts } from './pipeline-facts.js';
import type { PipelineFault, PipelineNote } from './pipeline-fault.js';
import { PIPELINE_LIMITS } from './pipeline-limits.js';
import { readPipeline } from './read/read-pipeline.js';
import { Reading } from './read/reading.js';

export type ParsedPipeline =
  | {
      readonly ok: true;
      readonly definition: PipelineDefinition;
      /** The document as plain JSON: what a version stores (as canonical JSON). */
      readonly document: JsonObject;
      readonly notes: readonly PipelineNote[];
    }
  | { readonly ok: false; readonly errors: readonly PipelineFault[] };

/**
 * Reads a document (what a YAML or JSON reader gave) into a definition, or into all of its faults at once: those of the
 * schema, of names, references, graph, expressions, models, policies and kinds together. Never throws, whatever it is
 * given, as long as the functions of `facts` do not.
 */
export function parsePipeline(document: unknown, facts: PipelineFacts): ParsedPipeline {
  const copied = toDocumentJson(document);
  if (!copied.ok) return { ok: false, errors: [copied.fault] };
  const { json } = copied;
  if (!isJsonObject(json)) {
    const words = { code: 'wrong_type', found: describeValue(json), expected: 'an object with name and steps' };
    return { ok: false, errors: [faultAt([], words)] };
  }
  const shape = pipelineDocument.safeParse(json, { error: (issue) => expectedWords(issue) });
  const reading = new Reading();
  for (const issue of shape.error?.issues ?? []) reportIssue(issue, json, reading);
  const { definition, notes } = readAndCheck(json, reading, facts);
  if (reading.faults.length > 0) return { ok: false, errors: shownFaults(reading) };
  return { ok: true, definition, document: json, notes };
}

function readAndCheck(json: JsonObject, reading: Reading, facts: PipelineFacts) {
  const read = readPipeline(json, reading);
  // The other checks compare steps with steps: beyond the limit that would take long, and the document is refused anyway.
  if (!checkCounts(read, reading)) return { definition: read.definition, notes: [] };
  const graph = stepGraph(read.nodes);
  checkGraph(graph, reading);
  checkExpressions(reading, facts.expressions, { inputs: read.names.inputs, graph });
  checkNames(read, reading, facts);
  checkInjected(reading, facts);
  return { definition: read.definition, notes: checkFeatures(read, reading, facts) };
}

/** One fault per path and code; the rest of a very long list is counted. */
function shownFaults(reading: Reading): readonly PipelineFault[] {
  const byPlace = new Map(reading.faults.map((fault) => [`${fault.path}\n${fault.code}\n${fault.found}`, fault]));
  const all = [...byPlace.values()];
  if (all.length <= PIPELINE_LIMITS.faults && reading.omitted === 0) return all;
  const shown = all.slice(0, PIPELINE_LIMITS.faults);
  const found = `${all.length - shown.length + reading.omitted} more faults`;
  return [
    ...shown,
    faultAt([], { code: 'too_many_faults', found, expected: `at most ${PIPELINE_LIMITS.faults} in one answer` }),
  ];
}
