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
  /** Ids that are done when the step starts: upstream in its own list, and what its containers see. */
  visibleTo(node: StepNode): ReadonlySet<string>;
  /** Ids that are done when a round or item of its body is: those and the body's own. */
  visibleAfterBody(node: StepNode): ReadonlySet<string>;
};

export function stepGraph(top: readonly StepNode[]): StepGraph {
  const siblingsOf = (node: StepNode): readonly StepNode[] => node.parent?.body ?? top;
  const visible = new Map<StepNode, ReadonlySet<string>>();
  const visibleTo = (node: StepNode): ReadonlySet<string> => {
    const known = visible.get(node);
    if (known !== undefined) return known;
    const inherited = node.parent === null ? [] : visibleTo(node.parent);
    const own = new Set([...inherited, ...upstreamIds(node, siblingsOf(node))]);
    visible.set(node, own);
    return own;
  };
  return {
    top,
    ids: new Set([...everyNode(top)].flatMap((node) => (node.id === null ? [] : [node.id]))),
    siblingsOf,
    visibleTo,
    visibleAfterBody: (node) => new Set([...visibleTo(node), ...idsOf(node.body)]),
  };
}

export function idsOf(nodes: readonly StepNode[]): readonly string[] {
  return nodes.flatMap((node) => (node.id === null ? [] : [node.id]));
}

/** What must have ended before the step may start: its dependencies, and steps whose `on_error` leads to it. */
export function precedersOf(node: StepNode, siblings: readonly StepNode[]): readonly StepNode[] {
  const ids = new Set(node.dependsOn);
  return siblings.filter(
    (other) => (other.id !== null && ids.has(other.id)) || (other.goto !== null && other.goto === node.id),
  );
}

function upstreamIds(node: StepNode, siblings: readonly StepNode[]): ReadonlySet<string> {
  const seen = new Set<StepNode>();
  const open = [...precedersOf(node, siblings)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...precedersOf(next, siblings));
  }
  return new Set(idsOf([...seen]));
}
