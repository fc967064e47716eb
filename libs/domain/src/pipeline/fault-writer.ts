import { closestName } from './closest-name.js';
import type { PipelineFault } from './pipeline-fault.js';

/** Keys and indices from the document's root to the value. */
export type FaultPath = readonly (string | number)[];

/** `['steps', 2, 'when']` → `steps[2].when`; keys that are no identifiers stand in brackets. */
export function formatPath(path: FaultPath): string {
  return path.reduce<string>((text, segment) => text + pathSegment(segment, text === ''), '');
}

function pathSegment(segment: string | number, isFirst: boolean): string {
  if (typeof segment === 'number') return `[${segment}]`;
  if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(segment)) return `[${JSON.stringify(segment)}]`;
  return isFirst ? segment : `.${segment}`;
}

export type FaultWords = {
  readonly code: string;
  readonly found: string;
  readonly expected: string;
  /** What to do, as the end of a sentence. */
  readonly hint?: string;
  /** Names that may have been meant; compared only when the fault is written. */
  readonly similar?: { readonly to: string; readonly among: Iterable<string> };
};

export function faultAt(path: FaultPath, words: FaultWords): PipelineFault {
  const where = formatPath(path);
  const hint = words.hint === undefined ? '' : `; ${words.hint}`;
  const meant = words.similar === undefined ? null : closestName(words.similar.to, words.similar.among);
  const question = meant === null ? '' : ` Did you mean "${meant}"?`;
  return {
    path: where,
    code: words.code,
    found: words.found,
    expected: words.expected,
    detail: `${where === '' ? 'The document' : where}: found ${words.found}, expected ${words.expected}${hint}.${question}`,
  };
}

/** A value in a few words: strings quoted and cut, lists and objects by what they hold. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? `a ${typeof value}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  return `an object with ${keys.slice(0, 4).join(', ')}${keys.length > 4 ? ', …' : ''}`;
}

/** `one of a, b, c`, each once; long lists are cut; one alone and none at all say so. */
export function oneOf(names: Iterable<string>): string {
  const all = [...new Set(names)];
  if (all.length === 0) return 'none: there are none';
  if (all.length === 1) return `the only one there is: ${String(all[0])}`;
  return `one of ${all.slice(0, 20).join(', ')}${all.length > 20 ? ', …' : ''}`;
}
