import { readFileSync } from 'node:fs';
import { expectNamedTest, tableRows, testsIn } from '../support/named-tests.js';

const TABLE = 'docs/orchestration-failures.md';
const rows = tableRows(TABLE, /^[A-K]\d+$/).map(([row = '', fault = '', played = '', rule = '']) => ({
  ...{ row, fault, rule },
  played: testsIn(played),
}));

describe(TABLE, () => {
  it('has every row of the collection, each once', () => {
    const expected = JSON.parse(readFileSync('test/fixtures/orchestration/rows.json', 'utf8')) as string[];
    expect(rows.map(({ row }) => row)).toEqual(expected);
  });

  it.each(rows)('names for row $row tests that are there, and says what goes wrong', ({ fault, played, rule }) => {
    expect(fault).not.toBe('');
    // Where no test plays it, a rule makes it impossible.
    expect([...played, rule].join('')).not.toBe('');
    for (const test of played) expectNamedTest(test);
  });
});
