import type { ASTNode } from '@marcbachmann/cel-js';
import type { ExpressionReference } from '#libs/domain';
import { SAFE_MATCHES } from './cel-environment.js';

/** What a walk over the syntax tree finds. */
export type CelSyntax = {
  readonly references: readonly ExpressionReference[];
  /** Loops over a list or map: the only way to take long. */
  readonly hasMacro: boolean;
  /** Levels of loops inside loops. */
  readonly macroDepth: number;
  readonly additions: number;
  /** Additions inside loops: each can double what it grows. */
  readonly additionsInMacros: number;
  /** Constant patterns of `matches`, to be compiled at check time. */
  readonly patterns: readonly { readonly pattern: string; readonly position: number }[];
};

const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

type Walk = {
  references: ExpressionReference[];
  patterns: { pattern: string; position: number }[];
  macroDepth: number;
  additions: number;
  additionsInMacros: number;
};

type Place = { readonly bound: ReadonlySet<string>; readonly depth: number };

/**
 * Reads what an expression refers to, and renames its calls of `matches` to the RE2 form in the tree itself: it must run
 * after parsing and before the first check, for the library resolves methods by name when it checks.
 */
export function readSyntax(ast: ASTNode): CelSyntax {
  const walk: Walk = { references: [], patterns: [], macroDepth: 0, additions: 0, additionsInMacros: 0 };
  visit(ast, { bound: new Set(), depth: 0 }, walk);
  return { ...walk, hasMacro: walk.macroDepth > 0 };
}

function visit(node: ASTNode, place: Place, walk: Walk): void {
  switch (node.op) {
    case 'value':
      return;
    case '!_':
    case '-_':
      return visit(node.args, place, walk);
    case 'id':
    case '.':
    case '.?':
    case '[]':
    case '[?]':
      return visitAccess(node, place, walk);
    case 'call':
      return visitAll(node.args[1], place, walk);
    case 'rcall':
      return visitMethod(node.args, node.start, place, walk);
    case 'map':
      return visitAll(node.args.flat(), place, walk);
    case '+':
      countAddition(place, walk);
      return visitAll(node.args, place, walk);
    case 'list':
    case '?:':
    case '||':
    case '&&':
    case '!=':
    case '==':
    case 'in':
    case '-':
    case '*':
    case '/':
    case '%':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return visitAll(node.args, place, walk);
  }
}

function countAddition(place: Place, walk: Walk): void {
  walk.additions += 1;
  if (place.depth > 0) walk.additionsInMacros += 1;
}

function visitAll(nodes: readonly ASTNode[], place: Place, walk: Walk): void {
  for (const node of nodes) visit(node, place, walk);
}

function visitMethod(args: [string, ASTNode, ASTNode[]], position: number, place: Place, walk: Walk): void {
  const [name, receiver, rest] = args;
  if (name === 'matches') {
    args[0] = SAFE_MATCHES;
    const pattern = rest[0];
    if (pattern?.op === 'value' && typeof pattern.args === 'string') {
      walk.patterns.push({ pattern: pattern.args, position: pattern.start });
    }
  }
  visit(receiver, place, walk);
  const variable = rest[0];
  if (!MACROS.has(name) || variable?.op !== 'id') return visitAll(rest, place, walk);
  const inner = { bound: new Set([...place.bound, variable.args]), depth: place.depth + 1 };
  walk.macroDepth = Math.max(walk.macroDepth, inner.depth);
  visitAll(rest.slice(1), inner, walk);
}

/** Follows `a.b["c"][0]` down to its root name; keys that are computed end the path and are visited themselves. */
function visitAccess(node: ASTNode, place: Place, walk: Walk): void {
  const path: string[] = [];
  let current = node;
  while (current.op === '.' || current.op === '.?' || current.op === '[]' || current.op === '[?]') {
    const [left, key] = current.args;
    const name = constantKey(key);
    if (name === null) {
      path.length = 0;
      if (typeof key !== 'string') visit(key, place, walk);
    } else {
      path.unshift(name);
    }
    current = left;
  }
  if (current.op !== 'id') return visit(current, place, walk);
  if (place.bound.has(current.args)) return;
  walk.references.push({ root: current.args, path, position: current.start });
}

function constantKey(key: string | ASTNode): string | null {
  if (typeof key === 'string') return key;
  if (key.op !== 'value') return null;
  const literal = key.args;
  return typeof literal === 'string' || typeof literal === 'bigint' ? String(literal) : null;
}
