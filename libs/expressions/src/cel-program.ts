import type { Environment, ParseResult } from '@marcbachmann/cel-js';
import { readSyntax, type CelSyntax } from './cel-syntax.js';
import { matchesRegularExpression } from './regular-expression.js';

/** An expression that was parsed, checked against its names, and may be evaluated any number of times. */
export type CelProgram = { readonly run: ParseResult; readonly syntax: CelSyntax; readonly type: string };

export type CompiledCel =
  | { readonly ok: true; readonly program: CelProgram }
  | { readonly ok: false; readonly detail: string; readonly position: number };

const MAX_SOURCE_CHARS = 4_000;
const MAX_MACRO_DEPTH = 3;
const MAX_ADDITIONS = 64;
const MAX_ADDITIONS_IN_MACROS = 8;

/** Never throws; `position` is an offset into the source. */
export function compileCel(environment: Environment, roots: readonly string[], source: string): CompiledCel {
  if (source.trim() === '') return refused('the expression is empty', 0);
  if (source.length > MAX_SOURCE_CHARS) {
    return refused(`the expression has ${source.length} characters, at most ${MAX_SOURCE_CHARS} are allowed`, 0);
  }
  try {
    const run = environment.parse(source);
    const syntax = readSyntax(run.ast);
    const fault = unknownName(syntax, roots) ?? costFault(syntax) ?? patternFault(syntax);
    if (fault !== null) return fault;
    const checked = run.check();
    if (!checked.valid) return refusedBy(checked.error);
    return { ok: true, program: { run, syntax, type: checked.type ?? 'dyn' } };
  } catch (error) {
    return refusedBy(error);
  }
}

function unknownName(syntax: CelSyntax, roots: readonly string[]): CompiledCel | null {
  const unknown = syntax.references.find((reference) => !roots.includes(reference.root));
  if (unknown === undefined) return null;
  return refused(`unknown name "${unknown.root}"; known here: ${roots.join(', ') || 'nothing'}`, unknown.position);
}

/** Static bounds on growth: what they let pass, the time limit of evaluation ends before it takes all memory. */
function costFault(syntax: CelSyntax): CompiledCel | null {
  if (syntax.macroDepth > MAX_MACRO_DEPTH) return refused(`more than ${MAX_MACRO_DEPTH} loops inside each other`, 0);
  if (syntax.additions > MAX_ADDITIONS) return refused(`more than ${MAX_ADDITIONS} additions`, 0);
  if (syntax.additionsInMacros > MAX_ADDITIONS_IN_MACROS) {
    return refused(`more than ${MAX_ADDITIONS_IN_MACROS} additions inside loops`, 0);
  }
  return null;
}

function patternFault(syntax: CelSyntax): CompiledCel | null {
  for (const { pattern, position } of syntax.patterns) {
    try {
      matchesRegularExpression('', pattern);
    } catch (error) {
      return refused(`the pattern of matches() is not RE2 syntax: ${messageOf(error)}`, position);
    }
  }
  return null;
}

function refused(detail: string, position: number): CompiledCel {
  return { ok: false, detail, position };
}

function refusedBy(error: unknown): CompiledCel {
  return refused(celErrorDetail(error), celErrorPosition(error));
}

/** The short form of the library's message (its long one draws the source line), with what to do where we know it. */
export function celErrorDetail(error: unknown): string {
  const summary = hasText(error, 'summary') ? error.summary : messageOf(error);
  const code = hasText(error, 'code') ? error.code : null;
  if (code === 'incompatible_ternary_branches') return `${summary}; wrap one in dyn(…) to mix types`;
  if (code === 'no_such_key') return `${summary}; where it may be absent, write a.?b.orValue(null) or test has(a.b)`;
  return summary;
}

function celErrorPosition(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('range' in error)) return 0;
  const range = error.range;
  if (typeof range !== 'object' || range === null || !('start' in range)) return 0;
  return typeof range.start === 'number' ? range.start : 0;
}

function hasText<K extends string>(value: unknown, key: K): value is { [k in K]: string } {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, key) === 'string';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
