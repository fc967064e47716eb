import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMigrations } from './migration-files.js';

describe('readMigrations', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'weir-migrations-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const file = (name: string, text: string) => writeFile(join(folder, name), text);

  it('reads numbered files in order and ignores the dump', async () => {
    await file('0002_b.sql', '-- breaking: true\nselect 2;\n');
    await file('0001_a.sql', '-- breaking: false\nselect 1;\n');
    await file('schema.sql', 'create table x ();');
    expect(await readMigrations(folder)).toMatchObject([
      { version: 1, name: '0001_a.sql', breaking: false },
      { version: 2, name: '0002_b.sql', breaking: true },
    ]);
  });

  it('gives the same checksum for both kinds of line end', async () => {
    await file('0001_a.sql', '-- breaking: false\nselect 1;\n');
    const [unix] = await readMigrations(folder);
    await file('0001_a.sql', '-- breaking: false\r\nselect 1;\r\n');
    expect((await readMigrations(folder))[0]?.checksum).toBe(unix?.checksum);
  });

  it('refuses a gap in the numbers and a file that does not say whether it breaks', async () => {
    await file('0002_b.sql', '-- breaking: true\n');
    await expect(readMigrations(folder)).rejects.toMatchObject({
      code: 'migration_malformed',
      details: { name: '0002_b.sql' },
    });
    await file('0001_a.sql', 'select 1;');
    await expect(readMigrations(folder)).rejects.toThrow('-- breaking: true');
  });
});
