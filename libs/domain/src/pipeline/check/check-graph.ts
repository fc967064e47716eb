import { didYouMean } from '../did-you-mean.js';
import { describeValue, formatPath, oneOf } from '../fault-writer.js';
import { PIPELINE_LIMITS } from '../pipeline-limits.js';
import type { Reading, StepNode } from '../read/reading.js';
import { everyNode, idsOf, precedersOf, type StepGraph } from './step-graph.js';

/** Ids, dependencies, `goto`, cycles and nesting. */
export function checkGraph(graph: StepGraph, reading: Reading): void {
  checkUniqueIds(graph, reading);
  for (const node of everyNode(graph.top)) {
    checkDependencies(node, graph, reading);
    checkGoto(node, graph, reading);
    checkNesting(node, reading);
  }
  checkCycles(graph.top, reading);
  for (const node of everyNode(graph.top)) checkCycles(node.body, reading);
}

/** Over the whole document: a step's id names its conversation, also in a body. */
function checkUniqueIds(graph: StepGraph, reading: Reading): void {
  const first = new Map<string, StepNode>();
  for (const node of everyNode(graph.top)) {
    if (node.id === null) continue;
    const other = first.get(node.id);
    if (other === undefined) {
      first.set(node.id, node);
      continue;
    }
    const found = `${describeValue(node.id)}, which ${formatPath(other.path)} has too`;
    reading.fault([...node.path, 'id'], { code: 'duplicate_step', found, expected: 'an id of its own' });
  }
}

function checkDependencies(node: StepNode, graph: StepGraph, reading: Reading): void {
  const others = idsOf(graph.siblingsOf(node)).filter((id) => id !== node.id);
  const seen = new Set<string>();
  for (const [index, id] of node.dependsOn.entries()) {
    const path = [...node.path, 'depends_on', index];
    const found = describeValue(id);
    if (seen.has(id)) {
      reading.fault(path, { code: 'duplicate_dependency', found: `${found} again`, expected: 'each step once' });
    } else if (id === node.id) {
      reading.fault(path, { code: 'cycle', found: 'the step itself', expected: oneOf(others) });
    } else if (!others.includes(id)) {
      reading.fault(path, unknownStep(id, others, graph));
    }
    seen.add(id);
  }
}

function unknownStep(id: string, others: readonly string[], graph: StepGraph) {
  const found = describeValue(id);
  if (graph.ids.has(id)) {
    const hint =
      'a step depends on steps of its own list only; those of a body are reached through the step around them';
    return { code: 'step_not_reachable', found: `${found}, a step of another list`, expected: oneOf(others), hint };
  }
  return { code: 'unknown_step', found, expected: oneOf(others), hint: didYouMean(id, others) };
}

function checkGoto(node: StepNode, graph: StepGraph, reading: Reading): void {
  if (node.goto === null) return;
  const others = idsOf(graph.siblingsOf(node)).filter((id) => id !== node.id);
  if (others.includes(node.goto)) return;
  const path = [...node.path, 'on_error', 'goto'];
  if (node.goto === node.id) {
    reading.fault(path, {
      code: 'cycle',
      found: 'the step itself',
      expected: oneOf(others),
      hint: 'to try again, set retry',
    });
  } else {
    reading.fault(path, unknownStep(node.goto, others, graph));
  }
}

function checkNesting(node: StepNode, reading: Reading): void {
  if (node.kind !== 'for_each' && node.kind !== 'repeat') return;
  const around = containersOf(node);
  const same = around.find((container) => container.kind === node.kind);
  const expected = `at most ${PIPELINE_LIMITS.bodyDepth} levels, for_each and repeat once each`;
  const hint = 'move the inner loop into a child pipeline';
  if (same !== undefined) {
    reading.fault([...node.path, node.kind], {
      code: 'nested_too_deep',
      found: `${node.kind} inside ${node.kind}`,
      expected,
      hint,
    });
  }
}

export function containersOf(node: StepNode): readonly StepNode[] {
  return node.parent === null ? [] : [node.parent, ...containersOf(node.parent)];
}

/** One fault per cycle, at the first of its steps. A step that names itself is reported with its dependency. */
function checkCycles(siblings: readonly StepNode[], reading: Reading): void {
  const reported = new Set<StepNode>();
  for (const node of siblings) {
    if (reported.has(node)) continue;
    const cycle = cycleThrough(node, siblings);
    if (cycle === null || cycle.length < 2) continue;
    for (const member of cycle) reported.add(member);
    const found = [...cycle, node].map((member) => member.id ?? '?').join(' → ');
    const key = node.dependsOn.length > 0 ? 'depends_on' : 'on_error';
    reading.fault([...node.path, key], {
      code: 'cycle',
      found: `the cycle ${found}`,
      expected: 'steps that end before others start',
    });
  }
}

/** The shortest way from a step over its preceders back to itself. */
function cycleThrough(start: StepNode, siblings: readonly StepNode[]): readonly StepNode[] | null {
  const ways: (readonly StepNode[])[] = [[start]];
  const seen = new Set<StepNode>();
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const last = way[way.length - 1];
    if (last === undefined) continue;
    for (const next of precedersOf(last, siblings)) {
      if (next === start) return way;
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return null;
}
