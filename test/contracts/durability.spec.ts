import { expectNamedTest, tableRows, testsIn } from '../support/named-tests.js';

const TABLE = 'docs/durability.md';
const rows = tableRows(TABLE, /^\d+$/).map(([row = '', sentence = '', shown = '']) => ({ row, sentence, shown }));

describe(TABLE, () => {
  it('counts its sentences', () => {
    expect(rows.map(({ row }) => row)).toEqual(rows.map((_, index) => String(index + 1)));
    expect(rows.length).toBeGreaterThan(0);
  });

  it.each(rows)('names for sentence $row tests that are there: $sentence', ({ shown }) => {
    expect(testsIn(shown).length).toBeGreaterThan(0);
    for (const test of testsIn(shown)) expectNamedTest(test);
  });
});
