import type { z } from 'zod';
import { didYouMean } from '../did-you-mean.js';
import { describeValue, faultAt, type FaultPath } from '../fault-writer.js';
import type { PipelineFault } from '../pipeline-fault.js';

/** The faults of one issue of the document's schema; its message is what is expected (`expectedWords`). */
export function issueToFaults(
  issue: z.core.$ZodIssue,
  document: unknown,
  base: FaultPath = [],
): readonly PipelineFault[] {
  const path = [...base, ...issue.path.map((segment) => (typeof segment === 'symbol' ? segment.toString() : segment))];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey([...path, key], key, issue.message));
    case 'invalid_union':
      return unionFaults(issue, document, path);
    case 'invalid_type':
    case 'too_small':
    case 'too_big':
    case 'not_multiple_of':
    case 'invalid_value':
    case 'invalid_format':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return [plainFault(path, valueAt(document, path), issue)];
  }
}

function unknownKey(path: FaultPath, key: string, known: string): PipelineFault {
  const hint = didYouMean(key, known.split(', '));
  return faultAt(path, { code: 'unknown_key', found: 'an unknown key', expected: `one of ${known}`, hint });
}

/** Faults inside the branch that the value was meant for, or one for the whole value when it fits none. */
function unionFaults(
  issue: z.core.$ZodIssueInvalidUnion,
  document: unknown,
  path: FaultPath,
): readonly PipelineFault[] {
  const meant = issue.errors.find((branch) => branch.length > 0 && branch.every((inner) => isInside(inner)));
  if (meant === undefined) return [plainFault(path, valueAt(document, path), issue)];
  return meant.flatMap((inner) => issueToFaults(inner, document, path));
}

function isInside(issue: z.core.$ZodIssue): boolean {
  return issue.path.length > 0 || issue.code === 'unrecognized_keys' || issue.code === 'too_small';
}

function plainFault(path: FaultPath, found: unknown, issue: z.core.$ZodIssue): PipelineFault {
  const code = found === undefined ? 'missing' : faultCode(issue.code);
  return faultAt(path, { code, found: describeValue(found), expected: issue.message });
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
