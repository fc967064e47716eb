import type { Json } from '../json.js';

/**
 * Port: the language inside `${…}`, `when` and `until`. The adapter is `libs/expressions` (CEL).
 * Both functions are total: they return a result for every string, and never throw.
 */
export type ExpressionLanguage = {
  /**
   * Parses and type-checks without evaluating.
   * @param source the expression without `${` and `}`.
   * @param scope the root names that exist where it stands, for instance `['inputs', 'steps', 'run']`.
   */
  check(source: string, scope: readonly string[]): ExpressionCheck;
  /**
   * Evaluates over JSON values within a bounded time. The caller has filled declared but absent inputs and the
   * outputs of skipped steps with null (see `pipelineVariables`): a key that is missing is an error.
   */
  evaluate(source: string, variables: ExpressionVariables): ExpressionResult;
};

export type ExpressionVariables = { readonly [root: string]: Json };

/**
 * A name the expression reads: `steps.route.output.intent` is `{ root: 'steps', path: ['route', 'output', 'intent'] }`.
 * The path ends where a key is computed or a method is called. `position` is a UTF-16 offset into the source.
 */
export type ExpressionReference = {
  readonly root: string;
  readonly path: readonly string[];
  readonly position: number;
};

export type ExpressionType = 'boolean' | 'number' | 'string' | 'list' | 'map' | 'null' | 'other' | 'unknown';

export type ExpressionCheck =
  | { readonly ok: true; readonly type: ExpressionType; readonly references: readonly ExpressionReference[] }
  | { readonly ok: false; readonly detail: string; readonly position: number };

export type ExpressionErrorCode =
  | 'expression_invalid'
  | 'expression_failed'
  | 'expression_timeout'
  | 'expression_result_too_large'
  | 'expression_result_not_json';

export type ExpressionResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly code: ExpressionErrorCode; readonly detail: string };
