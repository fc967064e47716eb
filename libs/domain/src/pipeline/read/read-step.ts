import type { Json, JsonObject } from '../../json.js';
import { describeValue, type FaultPath } from '../fault-writer.js';
import { isJsonObject } from '../json-object.js';
import { RESERVED_NAMES } from '../names.js';
import { PIPELINE_LIMITS } from '../pipeline-limits.js';
import { STEP_KINDS, type OnError, type PipelineStep, type StepBase, type StepKind } from '../pipeline-step.js';
import { Fields } from './fields.js';
import { readContext, readModel } from './read-agent.js';
import { readRetry } from './read-retry.js';
import { readWork } from './read-work.js';
import type { Reading, ReadSteps, StepNode } from './reading.js';

/** Keys that belong to one kind only, and which of them that kind needs. */
const KIND_KEYS: {
  readonly [kind in StepKind]: { readonly needs: readonly string[]; readonly may: readonly string[] };
} = {
  agent: { needs: ['task'], may: [] },
  tool: { needs: [], may: ['args'] },
  transform: { needs: [], may: [] },
  for_each: { needs: ['do'], may: ['max_parallel', 'on_item_failure'] },
  repeat: { needs: ['do', 'until', 'max_iterations'], may: [] },
  pipeline: { needs: [], may: ['inputs', 'stream_id'] },
  approval: { needs: [], may: [] },
  wait_for: { needs: [], may: [] },
  sleep: { needs: [], may: [] },
};

export function readSteps(
  list: Json | undefined,
  path: FaultPath,
  parent: StepNode | null,
  reading: Reading,
): ReadSteps {
  const nodes: StepNode[] = [];
  const steps: PipelineStep[] = [];
  for (const [index, element] of (Array.isArray(list) ? list : []).entries()) {
    if (!isJsonObject(element)) continue;
    const { node, step } = readStep(element, [...path, index], parent, reading);
    nodes.push(node);
    if (step !== null) steps.push(step);
  }
  return { nodes, steps };
}

function readStep(object: JsonObject, path: FaultPath, parent: StepNode | null, reading: Reading) {
  const graph = new Fields(object, path, reading, { at: 'output' });
  const kind = readKind(graph);
  const node: StepNode = {
    path,
    id: graph.text('id'),
    kind,
    agent: graph.text('agent'),
    tool: graph.text('tool'),
    dependsOn: (graph.texts('depends_on') ?? []).slice(0, PIPELINE_LIMITS.dependenciesPerStep),
    goto: stepIdOfGoto(graph),
    contextMode: modeOf(graph),
    parent,
    body: [],
  };
  const fields = new Fields(object, path, reading, { at: 'step', node });
  checkId(fields, node.id);
  const base = readBase(fields);
  if (kind === null) return { node, step: null };
  checkKindKeys(fields, kind);
  const work = readWork(kind, fields, node, readSteps);
  const step = work === null || node.id === null ? null : { id: node.id, ...base, ...work };
  return { node, step };
}

function readKind(fields: Fields): StepKind | null {
  const named = STEP_KINDS.filter((kind) => fields.has(kind));
  const [kind] = named;
  if (named.length === 1 && kind !== undefined) return kind;
  const expected = `exactly one of ${STEP_KINDS.join(', ')}`;
  if (named.length > 1) {
    fields.reading.fault(fields.path, { code: 'step_kind_ambiguous', found: named.join(' and '), expected });
    return null;
  }
  fields.reading.fault(fields.path, {
    code: 'step_kind_missing',
    found: describeValue(Object.fromEntries(fields.keys().map((key) => [key, true]))),
    expected,
  });
  return null;
}

function checkId(fields: Fields, id: string | null): void {
  if (id === null || !RESERVED_NAMES.has(id)) return;
  fields.reading.fault(fields.at('id'), {
    code: 'bad_name',
    found: describeValue(id),
    expected: 'a name that is no word of the expression language',
  });
}

function stepIdOfGoto(fields: Fields): string | null {
  const onError = fields.jsonObject('on_error');
  const target = onError?.['goto'];
  return typeof target === 'string' ? target : null;
}

function modeOf(fields: Fields): string | null {
  const mode = fields.jsonObject('context')?.['mode'];
  return typeof mode === 'string' ? mode : null;
}

function readBase(fields: Fields): Omit<StepBase, 'id'> {
  checkJoin(fields);
  return {
    dependsOn: fields.texts('depends_on') ?? [],
    join: fields.choice('join', ['all', 'any'], 'all'),
    when: fields.expression('when'),
    retry: readRetry(fields.child('retry')),
    timeoutMs: fields.durationMs('timeout', 1),
    onError: readOnError(fields),
    context: readContext(fields, 'step'),
    model: readModel(fields),
    documents: fields.template('documents'),
  };
}

function checkJoin(fields: Fields): void {
  const dependencies = fields.raw('depends_on');
  const isEmpty = dependencies === undefined || (Array.isArray(dependencies) && dependencies.length === 0);
  if (!fields.has('join') || !isEmpty) return;
  fields.reading.fault(fields.at('join'), {
    code: 'join_without_dependencies',
    found: 'no depends_on',
    expected: 'depends_on beside join',
  });
}

function readOnError(fields: Fields): OnError {
  const stepId = stepIdOfGoto(fields);
  if (stepId !== null) return { action: 'goto', stepId };
  return { action: fields.choice('on_error', ['fail', 'continue'], 'fail') };
}

function checkKindKeys(fields: Fields, kind: StepKind): void {
  for (const key of KIND_KEYS[kind].needs) {
    if (fields.has(key)) continue;
    fields.reading.fault(fields.at(key), { code: 'missing', found: 'nothing', expected: `${key} beside ${kind}` });
  }
  const own = [...KIND_KEYS[kind].needs, ...KIND_KEYS[kind].may];
  for (const other of STEP_KINDS) {
    for (const key of [...KIND_KEYS[other].needs, ...KIND_KEYS[other].may]) {
      if (!fields.has(key) || own.includes(key) || isReported(fields, key, other)) continue;
      const kinds = STEP_KINDS.filter((owner) => [...KIND_KEYS[owner].needs, ...KIND_KEYS[owner].may].includes(key));
      fields.reading.fault(fields.at(key), {
        code: 'key_not_for_kind',
        found: `${key} on a step of kind ${kind}`,
        expected: `a step of kind ${kinds.join(' or ')}`,
      });
    }
  }
}

/** `do` belongs to two kinds: only the first of a key's kinds reports it. */
function isReported(fields: Fields, key: string, kind: StepKind): boolean {
  const first = STEP_KINDS.find((owner) => [...KIND_KEYS[owner].needs, ...KIND_KEYS[owner].may].includes(key));
  return first !== kind && fields.has(key);
}
