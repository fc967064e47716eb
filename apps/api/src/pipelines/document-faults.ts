import type { PipelineFault } from '#libs/domain';
import { ProblemError } from '../http/problem-error.js';
import type { ProblemFault } from '../http/problem.js';
import { jsonPointer } from '../http/json-pointer.js';

/** Faults with an author's paths (`steps[2].when`) as faults of a request; path, found and expected stay beside the pointer. */
export function faultsOfDocument(faults: readonly PipelineFault[], below: readonly string[] = []): ProblemFault[] {
  return faults.map(({ path, code, detail, found, expected }) => ({
    in: 'body',
    pointer: jsonPointer([...below, ...pathParts(path)]),
    code,
    detail,
    path,
    found,
    expected,
  }));
}

export function pipelineInvalid(faults: readonly PipelineFault[]): ProblemError {
  const many = `${faults.length} fault${faults.length === 1 ? '' : 's'}`;
  return new ProblemError('pipeline_invalid', `The pipeline has ${many}.`, { errors: faultsOfDocument(faults) });
}

/** `steps[2].when` → steps, 2, when; a key in quotes may hold anything. */
export function pathParts(path: string): string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[([^\]]*)\]|([^.[\]]+)/g)].map(([, quoted, index, name]) => quoted ?? index ?? name ?? '');
}
