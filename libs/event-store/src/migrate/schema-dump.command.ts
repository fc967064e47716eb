import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '../connect.js';
import { dumpSchema } from './dump-schema.js';
import { migrate } from './migrate.js';
import { migrationsFolder } from './migration-files.js';

// `npm run schema:dump -- URL`: migrates a scratch database on that server and writes migrations/schema.sql.
const server = process.argv[2];
if (server === undefined) {
  process.stderr.write(
    'usage: npm run schema:dump -- postgres://… (a server on which a scratch database may be made)\n',
  );
  process.exit(2);
}
const name = `weir_schema_${randomBytes(4).toString('hex')}`;
const scratch = new URL(server);
scratch.pathname = `/${name}`;
const admin = connect({ url: server, poolSize: 1 });
await admin.sql.unsafe(`create database ${name}`);
try {
  await migrate(scratch.href);
  const db = connect({ url: scratch.href, poolSize: 1 });
  const text = await dumpSchema(db.sql);
  await db.close();
  await writeFile(join(migrationsFolder(), 'schema.sql'), text);
} finally {
  await admin.sql.unsafe(`drop database ${name} with (force)`);
  await admin.close();
}
