import type { Json } from '#libs/domain';
import { readYaml, yamlFaultText, type YamlFault } from '#libs/platform';
import { YamlText } from './body-parsers.js';
import { ProblemError } from './problem-error.js';
import type { ProblemFault } from './problem.js';

/** A document as JSON, from either media type. JSON has been checked by its parser. @throws ProblemError `malformed_yaml` */
export function documentOf(body: unknown): Json;
export function documentOf(body: unknown): unknown {
  if (!(body instanceof YamlText)) return body ?? null;
  const result = readYaml(body.text);
  if (result.ok) return result.value;
  const [first] = result.faults;
  const reason = first === undefined ? 'it cannot be read' : yamlFaultText(first);
  throw new ProblemError('malformed_yaml', `The body is not YAML that can be read: ${reason}.`, {
    errors: result.faults.map(toProblemFault),
  });
}

function toProblemFault({ code, detail, line, column }: YamlFault): ProblemFault {
  return { in: 'body', pointer: '#', code, detail, ...(line === null ? {} : { line, column: column ?? 1 }) };
}
