import type { z } from 'zod';
import { describeValue, type FaultPath } from '../fault-writer.js';
import type { Reading } from '../read/reading.js';

/** Adds the faults of one issue of the document's schema; its message is what is expected (`expectedWords`). */
export function reportIssue(issue: z.core.$ZodIssue, document: unknown, reading: Reading, base: FaultPath = []): void {
  const path = [...base, ...issue.path.map((segment) => (typeof segment === 'symbol' ? segment.toString() : segment))];
  switch (issue.code) {
    case 'unrecognized_keys':
      for (const key of issue.keys) reportUnknownKey([...path, key], key, issue.message, reading);
      return;
    case 'invalid_union':
      return reportUnion(issue, document, path, reading);
    case 'invalid_type':
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
    case 'invalid_value':
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return reportValue(path, valueAt(document, path), issue, reading);
  }
}

function reportUnknownKey(path: FaultPath, key: string, known: string, reading: Reading): void {
  const similar = { to: key, among: known.split(', ') };
  reading.fault(path, { code: 'unknown_key', found: 'an unknown key', expected: `one of ${known}`, similar });
}

/** Faults inside the branch that the value was meant for, or one for the whole value when it fits none. */
function reportUnion(issue: z.core.$ZodIssueInvalidUnion, document: unknown, path: FaultPath, reading: Reading): void {
  const meant = issue.errors.find((branch) => branch.length > 0 && branch.every((inner) => isInside(inner)));
  if (meant === undefined) return reportValue(path, valueAt(document, path), issue, reading);
  for (const inner of meant) reportIssue(inner, document, reading, path);
}

function isInside(issue: z.core.$ZodIssue): boolean {
  return issue.path.length > 0 || issue.code === 'unrecognized_keys' || issue.code === 'too_small';
}

function reportValue(path: FaultPath, found: unknown, issue: z.core.$ZodIssue, reading: Reading): void {
  const code = found === undefined ? 'missing' : faultCode(issue.code);
  reading.fault(path, { code, found: describeValue(found), expected: issue.message });
}

function faultCode(code: z.core.$ZodIssue['code']): string {
  switch (code) {
    case 'invalid_type':
    case 'invalid_union':
      return 'wrong_type';
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
      return 'out_of_range';
    case 'invalid_value':
    case 'invalid_format':
    case 'unrecognized_keys':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return 'invalid_value';
  }
}

function valueAt(document: unknown, path: FaultPath): unknown {
  let value = document;
  for (const segment of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = Reflect.get(value, segment);
  }
  return value;
}
