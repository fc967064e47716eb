import { readdirSync, readFileSync } from 'node:fs';
import { readFixture } from './testing/fixture.js';
import { playFixture } from './testing/play-fixture.js';

const folder = new URL('../../../test/fixtures/context/', import.meta.url);
const table = readFileSync(new URL('../../../docs/guide/context-failures.md', import.meta.url), 'utf8');
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
});
