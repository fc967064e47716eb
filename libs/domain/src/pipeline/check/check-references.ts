import type { ExpressionReference } from '../expression-language.js';
import { oneOf, type FaultWords } from '../fault-writer.js';
import type { Place } from '../read/reading.js';
import { RUN_FIELDS } from '../variables.js';
import { containersOf } from './check-graph.js';
import { idsOf, type StepGraph } from './step-graph.js';

/** Every root name of any place. The language is asked with all of them, so that a wrong place gets its own words. */
export const ALL_ROOTS = ['inputs', 'steps', 'run', 'item', 'item_index', 'last', 'args', 'secrets'] as const;

const STEP_FIELDS = ['output', 'status'] as const;

/** What references are checked against. `inputs` null: the block is broken, nothing is said about names in it. */
export type Names = { readonly inputs: readonly string[] | null; readonly graph: StepGraph };

/** What is wrong with a reference where it stands, or null. */
export function referenceFault(reference: ExpressionReference, place: Place, names: Names): FaultWords | null {
  const roots = rootsOf(place);
  if (!roots.includes(reference.root)) return wrongRoot(reference, place, roots);
  switch (reference.root) {
    case 'inputs':
      return unknownField('unknown_input', reference, names.inputs);
    case 'steps':
      return stepFault(reference, place, names.graph);
    case 'run':
      return unknownField('unknown_name', reference, RUN_FIELDS);
    case 'args':
      return place.at === 'tool' ? unknownField('unknown_argument', reference, place.properties) : null;
    case 'last':
      return unknownField('unknown_step', reference, lastIds(place));
    case 'secrets':
      return reference.path.length > 0 ? null : notStatic(reference, 'secrets.<name>');
    default:
      return null;
  }
}

function rootsOf(place: Place): readonly string[] {
  switch (place.at) {
    case 'step':
      return ['inputs', 'steps', 'run', ...loopRoots(containersOf(place.node).map((node) => node.kind))];
    case 'body':
      return [
        'inputs',
        'steps',
        'run',
        ...loopRoots([place.node, ...containersOf(place.node)].map((node) => node.kind)),
      ];
    case 'output':
      return ['inputs', 'steps', 'run'];
    case 'tool':
      return ['args', 'inputs', 'run', 'secrets'];
    case 'agent':
    case 'concurrency':
      return ['inputs', 'run'];
  }
}

function loopRoots(kinds: readonly (string | null)[]): readonly string[] {
  return [...(kinds.includes('for_each') ? ['item', 'item_index'] : []), ...(kinds.includes('repeat') ? ['last'] : [])];
}

/** Where a name exists, for a reference from somewhere else. */
const HOMES: ReadonlyMap<string, string> = new Map([
  ['item', 'item exists in the body of a for_each'],
  ['item_index', 'item_index exists in the body of a for_each'],
  ['last', 'last exists in the body of a repeat'],
  ['args', 'args exists in tools'],
  ['secrets', 'secrets are for tools only, so that they are never stored in an event'],
  ['steps', 'give the value to the step that uses this, as its task or args'],
]);

function wrongRoot(reference: ExpressionReference, place: Place, roots: readonly string[]): FaultWords {
  const code = reference.root === 'secrets' ? 'secret_outside_tool' : 'unknown_name';
  return {
    code,
    found: `${written(reference)} in ${placeWords(place)}`,
    expected: oneOf(roots),
    hint: HOMES.get(reference.root),
  };
}

function placeWords(place: Place): string {
  switch (place.at) {
    case 'step':
    case 'body':
      return 'a step';
    case 'output':
      return 'the output';
    case 'tool':
      return 'a tool';
    case 'agent':
      return 'an agent';
    case 'concurrency':
      return 'the concurrency key';
  }
}

function stepFault(reference: ExpressionReference, place: Place, graph: StepGraph): FaultWords | null {
  const [id, field] = reference.path;
  if (id === undefined) return notStatic(reference, 'steps.<id>.output or steps.<id>.status');
  const visible = visibleIn(place, graph);
  if (!visible.has(id)) return invisibleStep(id, place, graph, visible);
  if (field === undefined || !STEP_FIELDS.some((known) => known === field)) {
    const hint = field === undefined ? undefined : `for a field of its output write steps.${id}.output.${field}`;
    return {
      code: 'unknown_step_field',
      found: written(reference),
      expected: `steps.${id}.output or steps.${id}.status`,
      hint,
    };
  }
  return null;
}

function visibleIn(place: Place, graph: StepGraph): ReadonlySet<string> {
  switch (place.at) {
    case 'step':
      return graph.visibleTo(place.node);
    case 'body':
      return graph.visibleAfterBody(place.node);
    case 'output':
      return new Set(idsOf(graph.top));
    case 'tool':
    case 'agent':
    case 'concurrency':
      return new Set();
  }
}

function invisibleStep(id: string, place: Place, graph: StepGraph, visible: ReadonlySet<string>): FaultWords {
  const expected = `a step upstream: ${oneOf(visible)}`;
  if (!graph.ids.has(id))
    return { code: 'unknown_step', found: `steps.${id}`, expected, similar: { to: id, among: graph.ids } };
  if (place.at === 'output') {
    const hint = 'the steps of a body are read through the output of the step around them';
    return { code: 'output_not_reachable', found: `steps.${id}, a step of a body`, expected: oneOf(visible), hint };
  }
  const sameList = place.at === 'step' && idsOf(graph.siblingsOf(place.node)).includes(id);
  if (!sameList) return { code: 'step_not_reachable', found: `steps.${id}, a step of another list`, expected };
  const hint =
    id === (place.at === 'step' ? place.node.id : null) ? 'a step cannot read itself' : `add ${id} to depends_on`;
  return { code: 'step_not_upstream', found: `steps.${id}, which need not have ended`, expected, hint };
}

function lastIds(place: Place): readonly string[] | null {
  if (place.at !== 'step' && place.at !== 'body') return null;
  const loop = [place.node, ...containersOf(place.node)].find(
    (node) => node.kind === 'repeat' && (place.at === 'body' || node !== place.node),
  );
  return loop === undefined ? null : idsOf(loop.body);
}

function unknownField(
  code: string,
  reference: ExpressionReference,
  known: readonly string[] | null,
): FaultWords | null {
  const [name] = reference.path;
  if (name === undefined || known === null || known.includes(name)) return null;
  return { code, found: written(reference), expected: oneOf(known), similar: { to: name, among: known } };
}

function notStatic(reference: ExpressionReference, expected: string): FaultWords {
  return {
    code: 'reference_not_static',
    found: written(reference),
    expected,
    hint: 'the name must stand in the text, so that it can be checked',
  };
}

function written(reference: ExpressionReference): string {
  const text = [reference.root, ...reference.path].join('.');
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
