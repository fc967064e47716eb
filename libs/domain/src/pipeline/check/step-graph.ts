import type { StepNode } from '../read/reading.js';

/** Every node, bodies included, a step before those of its body. */
export function* everyNode(nodes: readonly StepNode[]): Generator<StepNode> {
  for (const node of nodes) {
    yield node;
    yield* everyNode(node.body);
  }
}

/** What each step may refer to, and which ids exist where. */
export type StepGraph = {
  readonly top: readonly StepNode[];
  readonly ids: ReadonlySet<string>;
  /** Of the list that a step is in. */
  siblingsOf(node: StepNode): readonly StepNode[];
  /** What must have ended before the step may start: its dependencies, and steps whose `on_error` leads to it. */
  precedersOf(node: StepNode): readonly StepNode[];
  /** Ids that are done when the step starts: upstream in its own list, and what its containers see. */
  visibleTo(node: StepNode): ReadonlySet<string>;
  /** Ids that are done when a round or item of its body is: those and the body's own. */
  visibleAfterBody(node: StepNode): ReadonlySet<string>;
};

export function stepGraph(top: readonly StepNode[]): StepGraph {
  const preceders = new Map<StepNode, readonly StepNode[]>();
  addPreceders(top, preceders);
  for (const node of everyNode(top)) addPreceders(node.body, preceders);
  const precedersOf = (node: StepNode): readonly StepNode[] => preceders.get(node) ?? [];
  const visible = new Map<StepNode, ReadonlySet<string>>();
  const visibleTo = (node: StepNode): ReadonlySet<string> => {
    const known = visible.get(node);
    if (known !== undefined) return known;
    const inherited = node.parent === null ? [] : visibleTo(node.parent);
    const own = new Set([...inherited, ...upstreamIds(node, precedersOf)]);
    visible.set(node, own);
    return own;
  };
  return {
    top,
    ids: new Set(idsOf([...everyNode(top)])),
    siblingsOf: (node) => node.parent?.body ?? top,
    precedersOf,
    visibleTo,
    visibleAfterBody: (node) => new Set([...visibleTo(node), ...idsOf(node.body)]),
  };
}

export function idsOf(nodes: readonly StepNode[]): readonly string[] {
  return nodes.flatMap((node) => (node.id === null ? [] : [node.id]));
}

function addPreceders(siblings: readonly StepNode[], preceders: Map<StepNode, readonly StepNode[]>): void {
  const byId = groupedBy(siblings, (node) => node.id);
  const leading = groupedBy(siblings, (node) => node.goto);
  for (const node of siblings) {
    const named = node.dependsOn.flatMap((id) => byId.get(id) ?? []);
    const toIt = node.id === null ? [] : (leading.get(node.id) ?? []);
    preceders.set(node, [...new Set([...named, ...toIt])]);
  }
}

/** `Map.groupBy`, which Node 20 does not have. */
function groupedBy(
  nodes: readonly StepNode[],
  keyOf: (node: StepNode) => string | null,
): ReadonlyMap<string | null, StepNode[]> {
  const groups = new Map<string | null, StepNode[]>();
  for (const node of nodes) {
    const group = groups.get(keyOf(node));
    if (group === undefined) groups.set(keyOf(node), [node]);
    else group.push(node);
  }
  return groups;
}

function upstreamIds(node: StepNode, precedersOf: StepGraph['precedersOf']): readonly string[] {
  const seen = new Set<StepNode>();
  const open = [...precedersOf(node)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...precedersOf(next));
  }
  return idsOf([...seen]);
}
