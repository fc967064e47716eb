import type { ExpressionLanguage, ExpressionType } from '../expression-language.js';
import { describeValue } from '../fault-writer.js';
import type { ExpressionUse, Reading } from '../read/reading.js';
import { ALL_ROOTS, referenceFault, type Names } from './check-references.js';

/** Syntax, types where they are known, and every reference of every expression. */
export function checkExpressions(reading: Reading, language: ExpressionLanguage, names: Names): void {
  for (const use of reading.expressions) checkExpression(use, reading, language, names);
}

function checkExpression(use: ExpressionUse, reading: Reading, language: ExpressionLanguage, names: Names): void {
  const checked = language.check(use.source, ALL_ROOTS);
  if (!checked.ok) {
    const found = `${describeValue(use.source)}, character ${checked.position + 1}`;
    reading.fault(use.path, { code: 'bad_expression', found, expected: 'a CEL expression', hint: checked.detail });
    return;
  }
  if (!isExpectedType(use.expects, checked.type)) {
    const expected =
      use.expects === 'boolean' ? 'an expression that gives true or false' : 'an expression that gives a list';
    reading.fault(use.path, {
      code: 'wrong_type',
      found: `${describeValue(use.source)}, which gives a ${checked.type}`,
      expected,
    });
  }
  const told = new Set<string>();
  for (const reference of checked.references) {
    const words = referenceFault(reference, use.place, names);
    if (words === null || told.has(`${words.code} ${words.found}`)) continue;
    told.add(`${words.code} ${words.found}`);
    reading.fault(use.path, words);
  }
}

function isExpectedType(expects: ExpressionUse['expects'], type: ExpressionType): boolean {
  if (expects === 'any' || type === 'unknown') return true;
  return type === expects;
}
