import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { YamlText } from './body-parsers.js';
import { ProblemError } from './problem-error.js';
import { jsonPointer } from './json-pointer.js';
import type { ProblemFault } from './problem.js';

/** Shown of one answer: a body can have a million. */
const MOST_FAULTS = 100;
const MOST_KEY_CHARS = 100;

/** Checks each argument against the zod schema its decorator names; the first hundred faults are reported at once. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { schema } = metadata;
    if (!(schema instanceof z.ZodType)) return value;
    if (value instanceof YamlText)
      throw new ProblemError('media_type_unsupported', 'This route takes application/json.');
    const place = placeOf(metadata.type);
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const errors = parsed.error.issues.flatMap((issue) => faultsOf(issue, place, metadata.data));
    throw new ProblemError(
      'invalid_request',
      `${errors.length} fault${errors.length === 1 ? '' : 's'} in the ${place} of the request.`,
      { errors: errors.slice(0, MOST_FAULTS) },
    );
  }
}

function placeOf(type: ArgumentMetadata['type']): ProblemFault['in'] {
  switch (type) {
    case 'body':
      return 'body';
    case 'query':
      return 'query';
    case 'param':
      return 'path';
    case 'custom':
      return 'header';
  }
}

function faultsOf(issue: z.core.$ZodIssue, place: ProblemFault['in'], argument: string | undefined): ProblemFault[] {
  const path = [...(argument === undefined ? [] : [argument]), ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const name = key.slice(0, MOST_KEY_CHARS);
      return {
        in: place,
        pointer: jsonPointer([...path, name]),
        code: 'unknown_key',
        detail: `${name} is not known here.`,
      };
    });
  }
  return [{ in: place, pointer: jsonPointer(path), code: issue.code, detail: issue.message }];
}
