import { parseDocument } from 'yaml';
import { jsonSchema, type Json } from '#libs/domain';
import { ProblemError } from './problem-error.js';
import { firstUnfit, YamlText } from './body-parsers.js';

/** A document as JSON, from either media type. YAML that JSON cannot express (NaN, dates of old versions) is refused. */
export function documentOf(body: unknown): Json {
  const value = body instanceof YamlText ? parseYaml(body.text) : body;
  const unfit = body instanceof YamlText ? firstUnfit(value) : null;
  if (unfit !== null) throw new ProblemError('malformed_yaml', unfit.message);
  const parsed = jsonSchema.safeParse(value ?? null);
  if (parsed.success) return parsed.data;
  throw new ProblemError(
    'malformed_yaml',
    'The document holds a value that JSON cannot express, for instance .nan or .inf.',
  );
}

function parseYaml(text: string): unknown {
  const document = read(text);
  const first = document.errors[0];
  if (first !== undefined) {
    throw new ProblemError('malformed_yaml', `The body is not YAML: ${first.message}`, {
      errors: document.errors.map((error) => ({
        in: 'body',
        pointer: '#',
        code: error.code.toLowerCase(),
        detail: error.message.split('\n')[0] ?? error.message,
        ...(error.linePos === undefined ? {} : { line: error.linePos[0].line, column: error.linePos[0].col }),
      })),
    });
  }
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    // The reader refuses aliases that would unfold into something huge.
    throw new ProblemError('malformed_yaml', 'The YAML uses too many aliases.', {}, { cause });
  }
}

/** The reader calls itself for each level, and overflows the stack where nobody would read on either. */
function read(text: string): ReturnType<typeof parseDocument> {
  try {
    const document = parseDocument(text, { prettyErrors: true });
    if (!document.errors.some(({ message }) => /call stack/i.test(message))) return document;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  throw new ProblemError('malformed_yaml', 'The YAML is nested too deep to be read.');
}
