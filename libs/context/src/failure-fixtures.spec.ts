import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFixture } from './testing/fixture.js';
import { playFixture } from './testing/play-fixture.js';

const folder = new URL('../../../test/fixtures/context/', import.meta.url);
const table = readFileSync(new URL('../../../docs/guide/context-failures.md', import.meta.url), 'utf8');
/** Of the collection of failures that Weir was built against. */
const ROWS = 97;

const fixtures = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => ({ file, fixture: readFixture(readFileSync(new URL(file, folder), 'utf8')) }));

/** What goes wrong elsewhere, as small sessions: docs/guide/context-failures.md says which row is covered by what. */
describe('a failure seen in other systems', () => {
  it.each(
    fixtures.map(({ file, fixture }) => ({ name: `${fixture.rows.join(', ')}: ${fixture.says}`, file, fixture })),
  )('$name', ({ file, fixture }) => {
    for (const { name, seen, wanted } of playFixture(fixture)) expect({ name, seen }).toEqual({ name, seen: wanted });
    for (const row of fixture.rows)
      expect(table).toMatch(new RegExp(`^\\| ${row} \\|.*${file.replace('.', '\\.')}`, 'mu'));
  });

  it('is in the table with what covers it, and every file that the table names is there', () => {
    const root = new URL('../../../', import.meta.url);
    const rows = [...table.matchAll(/^\| (\d+|Z\d+) \|/gmu)].map(([, row]) => row);
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.length).toBe(ROWS);
    const named = [...table.matchAll(/`([\w./-]+\.(?:json|ts))`/gu)].map(([, file = '']) => file);
    const missing = named.filter(
      (file) => !existsSync(file.endsWith('.json') ? new URL(file, folder) : new URL(file, root)),
    );
    expect(missing).toEqual([]);
  });
});
