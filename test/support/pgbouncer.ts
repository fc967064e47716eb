import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../libs/event-store/src/index.js';
import { findExecutable, freePort, serviceUser, startProcess, type Guard } from '../../libs/platform/src/index.js';
import { waitFor } from './wait-for.js';

/** Debian puts it where only root looks. */
const binary = findExecutable(['pgbouncer'], `${process.env['PATH']}:/usr/sbin`);

/** A group of tests through PgBouncer: skipped, with the reason in its name, where there is none. */
export function describePgBouncer(name: string, tests: () => void): void {
  if (binary !== null) describe(name, tests);
  else describe.skip(`${name} (skipped: no pgbouncer on PATH)`, tests);
}

type Before = { url: string; folder: string; guard: Guard };

/** PgBouncer in transaction mode before a Postgres that trusts its users, with so many connections. */
export async function startPgBouncer(
  { url, folder, guard }: Before,
  connections: number,
): Promise<{ url: string; stop: () => Promise<unknown> }> {
  if (binary === null) throw new Error('there is no pgbouncer: put this test into describePgBouncer()');
  const target = new URL(url);
  const port = await freePort();
  const users = join(folder, 'pgbouncer-users.txt');
  writeFileSync(users, `"${target.username}" ""\n`);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
`,
  );
  const pooler = await startProcess({
    name: 'pgbouncer',
    command: binary,
    args: [file],
    env: {},
    cwd: folder,
    user: serviceUser(),
    output: { file: join(folder, 'pgbouncer.log') },
    guard,
    stopWith: [{ signal: 'SIGTERM', afterMs: 0 }],
    orphanedWith: [{ signal: 'SIGKILL', afterMs: 0 }],
  });
  target.port = String(port);
  const database = connect({ url: target.href, poolSize: 1, prepare: false });
  await waitFor(() => database.run((sql) => sql`select 1`), { what: 'pgbouncer', timeoutMs: 20_000 });
  await database.close();
  return { url: target.href, stop: () => pooler.stop() };
}
