import { existsSync, readFileSync } from 'node:fs';

const TABLE = 'docs/orchestration-failures.md';
const rows = readFileSync(TABLE, 'utf8')
  .split('\n')
  .filter((line) => /^\| [A-K]\d/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, row = '', fault = '', played = '', rule = '']) => ({
    row,
    fault,
    played: played === '' ? [] : played.split('<br>'),
    rule,
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
    for (const test of played) {
      const [, file = '', name = ''] = /^`([^`]+)` › (.+)$/.exec(test) ?? [];
      expect({ test, isFile: existsSync(file) }).toEqual({ test, isFile: true });
      // Names that hold a number of cases are quoted up to it.
      expect({ test, isIn: readFileSync(file, 'utf8').includes(name) }).toEqual({ test, isIn: true });
    }
  });
});
