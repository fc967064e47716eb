import { Environment } from '@marcbachmann/cel-js';
import { matchesRegularExpression } from './regular-expression.js';

/** The method that `matches` is renamed to: the library's own runs on a backtracking engine and cannot be replaced. */
export const SAFE_MATCHES = 'matchesRe2';

/** Text that one call of `replace` may make, in UTF-16 units: chained calls would otherwise grow without end. */
const MAX_REPLACED_CHARS = 8_000_000;

const arithmetic: ReadonlyMap<string, (left: number, right: number) => number> = new Map([
  ['+', (left, right) => left + right],
  ['-', (left, right) => left - right],
  ['*', (left, right) => left * right],
  ['/', (left, right) => left / right],
  ['%', (left, right) => left % right],
]);

/**
 * CEL as pipelines use it. All variables are `dyn`: their shape is known at run time only.
 * @param roots the root names that expressions of this environment may use.
 */
export function celEnvironment(roots: readonly string[]): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    unlistedVariablesAreDyn: false,
    limits: { maxAstNodes: 2_000, maxDepth: 64, maxListElements: 500, maxMapEntries: 500, maxCallArguments: 16 },
  });
  mixNumbers(environment);
  environment.registerFunction(`string.${SAFE_MATCHES}(string): bool`, {
    async: false,
    handler: (text: string, pattern: string) => matchesRegularExpression(text, pattern),
  });
  environment.registerFunction('string.replace(string, string): string', {
    async: false,
    handler: replaceAllBounded,
  });
  for (const root of roots) environment.registerVariable(root, 'dyn');
  return environment;
}

/** JSON numbers are doubles and literals are ints, so `inputs.n + 1` needs overloads that CEL itself does not have. */
function mixNumbers(environment: Environment): void {
  for (const [operator, compute] of arithmetic) {
    const handler = (left: number | bigint, right: number | bigint) => compute(Number(left), Number(right));
    environment.registerOperator(`int ${operator} double: double`, handler);
    environment.registerOperator(`double ${operator} int: double`, handler);
  }
  environment.registerOperator('double % double: double', (left: number, right: number) => left % right);
}

function replaceAllBounded(text: string, from: string, to: string): string {
  const occurrences = from === '' ? text.length + 1 : text.split(from).length - 1;
  const length = text.length + occurrences * (to.length - from.length);
  if (length > MAX_REPLACED_CHARS) {
    throw new Error(`replace() would make ${length} characters, at most ${MAX_REPLACED_CHARS} are allowed`);
  }
  // A function, because `$&` and the like in a replacement string would be interpreted.
  return text.replaceAll(from, () => to);
}
