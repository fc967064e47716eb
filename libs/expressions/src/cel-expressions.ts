import type {
  ExpressionCheck,
  ExpressionErrorCode,
  ExpressionLanguage,
  ExpressionResult,
  ExpressionType,
  ExpressionVariables,
  Json,
} from '#libs/domain';
import { EvaluationError } from '@marcbachmann/cel-js';
import { boundedCall } from './bounded-call.js';
import { CelCache } from './cel-cache.js';
import { celErrorDetail, type CelProgram, type CompiledCel } from './cel-program.js';
import { celResultToJson } from './cel-result.js';

/** `timeoutMs` bounds one evaluation of an expression with loops; the others are bounded by their size. */
export type CelOptions = { readonly timeoutMs?: number; readonly cachedExpressions?: number };

const DEFAULT_TIMEOUT_MS = 500;
const DEFAULT_CACHED_EXPRESSIONS = 2_000;

/** The language of `${…}` and `when`: CEL. One instance per process; it caches compiled expressions. */
export function celExpressions(options: CelOptions = {}): ExpressionLanguage {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const cache = new CelCache(options.cachedExpressions ?? DEFAULT_CACHED_EXPRESSIONS);
  return {
    check: (source, scope) => check(cache.compile(source, scope)),
    evaluate: (source, variables) => evaluate(cache, timeoutMs, source, variables),
  };
}

function check(compiled: CompiledCel): ExpressionCheck {
  if (!compiled.ok) return compiled;
  const { syntax, type } = compiled.program;
  return { ok: true, type: expressionType(type), references: syntax.references };
}

function evaluate(
  cache: CelCache,
  timeoutMs: number,
  source: string,
  variables: ExpressionVariables,
): ExpressionResult {
  const roots = Object.keys(variables);
  const compiled = cache.compile(source, roots);
  if (!compiled.ok) return failed('expression_invalid', `${compiled.detail} (at ${compiled.position})`);
  try {
    const result = run(compiled.program, variables, timeoutMs);
    if (!result.timedOut) return jsonResult(result.value);
    // The program keeps state between its loops and was stopped in one of them.
    cache.forget(source, roots);
    return failed('expression_timeout', `took longer than ${timeoutMs} ms; loop over a shorter list`);
  } catch (error) {
    return failed('expression_failed', celErrorDetail(error));
  }
}

function run(program: CelProgram, variables: ExpressionVariables, timeoutMs: number) {
  const call = (): unknown => runWithAnyKeys(program, variables);
  return program.syntax.hasMacro ? boundedCall(call, timeoutMs) : { timedOut: false as const, value: call() };
}

/**
 * The library tells plain objects by `value.constructor`, so data with a key of that name, or an object of another
 * realm, is refused as an unsupported type. Maps are not; copying everything into Maps is for these rare values only.
 */
function runWithAnyKeys(program: CelProgram, variables: ExpressionVariables): unknown {
  try {
    return program.run({ ...variables });
  } catch (error) {
    if (!isUnsupportedType(error)) throw error;
    return program.run(Object.fromEntries(Object.entries(variables).map(([root, value]) => [root, withMaps(value)])));
  }
}

function isUnsupportedType(error: unknown): boolean {
  return error instanceof EvaluationError && error.code === 'unsupported_type';
}

function withMaps(value: Json): unknown {
  if (Array.isArray(value)) return value.map(withMaps);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([key, member]) => [key, withMaps(member)]));
}

function jsonResult(value: unknown): ExpressionResult {
  const json = celResultToJson(value);
  if (json.ok) return json;
  switch (json.reason) {
    case 'too_large':
      return failed('expression_result_too_large', json.detail);
    case 'not_json':
      return failed('expression_result_not_json', json.detail);
  }
}

function failed(code: ExpressionErrorCode, detail: string): ExpressionResult {
  return { ok: false, code, detail };
}

function expressionType(celType: string): ExpressionType {
  if (celType === 'dyn') return 'unknown';
  if (celType === 'bool') return 'boolean';
  if (celType === 'int' || celType === 'uint' || celType === 'double') return 'number';
  if (celType === 'string') return 'string';
  if (celType === 'null' || celType === 'null_type') return 'null';
  if (celType.startsWith('list')) return 'list';
  if (celType.startsWith('map')) return 'map';
  if (celType.startsWith('optional')) return 'unknown';
  return 'other';
}
