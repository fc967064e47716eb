import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { canonicalJson, type Json, type JsonObject } from '#libs/domain';
import { linearRegExp } from './linear-reg-exp.js';

const MAX_SCHEMA_CHARS = 256_000;
const MAX_CACHED_SCHEMAS = 1_000;
const MAX_FAULTS = 5;

type Compiled = { ok: true; validate: ValidateFunction } | { ok: false; detail: string };

/**
 * Checks values against JSON Schemas (2020-12; draft-07 and older where `$schema` says so). Patterns run on RE2, so no
 * value can make one slow; schemas with remote `$ref`s, patterns outside RE2 or more than 256,000 chars are refused.
 * `format` is not checked. Compiled schemas are kept, the oldest leave first.
 */
export class SchemaValidator {
  private readonly byIdentity = new WeakMap<JsonObject, Compiled>();
  private readonly byContent = new Map<string, Compiled>();
  private readonly draft2020 = withLinearUniqueness(new Ajv2020(AJV_OPTIONS));
  private readonly draft07 = withLinearUniqueness(new Ajv(AJV_OPTIONS));

  /** Whether the schema itself can be used. */
  checkSchema(schema: JsonObject): { ok: true } | { ok: false; detail: string } {
    const compiled = this.compiled(schema);
    return compiled.ok ? { ok: true } : compiled;
  }

  /** `detail` names the first five faults, each with the place it is at; it quotes no values but allowed ones. */
  validate(schema: JsonObject, value: Json): { ok: true } | { ok: false; detail: string } {
    const compiled = this.compiled(schema);
    if (!compiled.ok) return compiled;
    if (compiled.validate(value)) return { ok: true };
    const faults = (compiled.validate.errors ?? []).map(describeFault);
    const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : '';
    return { ok: false, detail: `${faults.slice(0, MAX_FAULTS).join('; ')}${more}` };
  }

  private compiled(schema: JsonObject): Compiled {
    const known = this.byIdentity.get(schema);
    if (known !== undefined) return known;
    const content = canonicalJson(schema);
    const compiled = this.byContent.get(content) ?? this.compile(schema, content);
    this.byIdentity.set(schema, compiled);
    return compiled;
  }

  private compile(schema: JsonObject, content: string): Compiled {
    const compiled = this.tryToCompile(schema, content.length);
    if (this.byContent.size >= MAX_CACHED_SCHEMAS) {
      const oldest = this.byContent.keys().next();
      if (oldest.done !== true) this.byContent.delete(oldest.value);
    }
    this.byContent.set(content, compiled);
    return compiled;
  }

  private tryToCompile(schema: JsonObject, chars: number): Compiled {
    if (chars > MAX_SCHEMA_CHARS) {
      return { ok: false, detail: `the schema has ${chars} chars, at most ${MAX_SCHEMA_CHARS} are allowed` };
    }
    const { $schema: draft, ...rest } = schema;
    const ajv = typeof draft === 'string' && /draft-0[467]/.test(draft) ? this.draft07 : this.draft2020;
    try {
      const validate = ajv.compile(rest);
      // An asynchronous schema ($async) answers with a promise, which would count as valid.
      if ('$async' in validate) return { ok: false, detail: 'asynchronous schemas ($async) are not supported' };
      return { ok: true, validate };
    } catch (error) {
      return {
        ok: false,
        detail: `the schema cannot be used: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
  }
}

/** Ajv compares each element with all others, which takes minutes for what fits into a mebibyte. */
function withLinearUniqueness<A extends Ajv | Ajv2020>(ajv: A): A {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    compile: (isWanted: boolean) => (elements: Json[]) =>
      !isWanted || new Set(elements.map(canonicalJson)).size === elements.length,
  });
  return ajv;
}

const AJV_OPTIONS = {
  allErrors: true,
  strict: false,
  validateFormats: false,
  // Two schemas with one `$id` are two schemas: nothing is registered under its id.
  addUsedSchema: false,
  logger: false,
  code: { regExp: linearRegExp },
} as const;

function describeFault(error: ErrorObject): string {
  const place = error.instancePath === '' ? 'the value' : error.instancePath;
  const allowed: unknown = error.params['allowedValues'];
  const extra: unknown = error.params['additionalProperty'];
  if (Array.isArray(allowed))
    return `${place} must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  if (typeof extra === 'string') return `${place} must not have the property ${JSON.stringify(extra)}`;
  return `${place} ${error.message ?? `fails ${error.keyword}`}`;
}
