import { describeValue, formatPath, oneOf } from '../fault-writer.js';
import { PIPELINE_LIMITS } from '../pipeline-limits.js';
import type { Reading, StepNode } from '../read/reading.js';
import { everyNode, idsOf, type StepGraph } from './step-graph.js';

/** Ids, dependencies, `goto`, cycles and nesting. */
export function checkGraph(graph: StepGraph, reading: Reading): void {
  checkUniqueIds(graph, reading);
  for (const node of everyNode(graph.top)) {
    checkDependencies(node, graph, reading);
    checkGoto(node, graph, reading);
    checkNesting(node, reading);
  }
  checkCycles(graph, reading);
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
  return { code: 'unknown_step', found, expected: oneOf(others), similar: { to: id, among: others } };
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
function checkCycles(graph: StepGraph, reading: Reading): void {
  const cyclic = cyclicNodes(graph);
  const reported = new Set<StepNode>();
  for (const node of everyNode(graph.top)) {
    if (reported.has(node) || !cyclic.has(node)) continue;
    const cycle = cycleThrough(node, graph);
    if (cycle === null || cycle.length < 2) continue;
    for (const member of cycle) reported.add(member);
    const found = [...cycle, node].map((member) => member.id ?? '?').join(' → ');
    const key = node.dependsOn.length > 0 ? 'depends_on' : 'on_error';
    const expected = 'steps that end before others start';
    reading.fault([...node.path, key], { code: 'cycle', found: `the cycle ${found}`, expected });
  }
}

/** What is left after taking away, again and again, the steps without preceders: cycles and what comes after them. */
function cyclicNodes(graph: StepGraph): ReadonlySet<StepNode> {
  const left = new Map([...everyNode(graph.top)].map((node) => [node, graph.precedersOf(node).length]));
  const followers = new Map([...left.keys()].map((node): [StepNode, StepNode[]] => [node, []]));
  for (const node of left.keys()) {
    for (const preceder of graph.precedersOf(node)) followers.get(preceder)?.push(node);
  }
  const free = [...left].flatMap(([node, count]) => (count === 0 ? [node] : []));
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    left.delete(node);
    for (const follower of followers.get(node) ?? []) {
      const count = (left.get(follower) ?? 0) - 1;
      left.set(follower, count);
      if (count === 0) free.push(follower);
    }
  }
  return new Set(left.keys());
}

/** The shortest way from a step over its preceders back to itself, or null when it only comes after a cycle. */
function cycleThrough(start: StepNode, graph: StepGraph): readonly StepNode[] | null {
  const cameFrom = new Map<StepNode, StepNode>();
  const open = [start];
  for (let node = open.shift(); node !== undefined; node = open.shift()) {
    for (const next of graph.precedersOf(node)) {
      if (next === start) return wayTo(node, start, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      open.push(next);
    }
  }
  return null;
}

function wayTo(end: StepNode, start: StepNode, cameFrom: ReadonlyMap<StepNode, StepNode>): readonly StepNode[] {
  const way: StepNode[] = [];
  for (let node: StepNode | undefined = end; node !== undefined && node !== start; node = cameFrom.get(node))
    way.unshift(node);
  return [start, ...way];
}
