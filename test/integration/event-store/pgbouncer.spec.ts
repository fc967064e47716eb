import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGuard } from '#libs/platform';
import { connect } from '#libs/event-store';
import { createTestDatabase } from '../../support/index.js';
import { describePgBouncer, startPgBouncer } from '../../support/pgbouncer.js';

describePgBouncer('PgBouncer in transaction mode', () => {
  it('answers statements that are sent right after each other over one connection', async () => {
    const database = await createTestDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'weir-pgbouncer-'));
    chmodSync(folder, 0o777);
    const guard = startGuard();
    const pooler = await startPgBouncer({ url: database.url, folder, guard }, 2);
    const db = connect({ url: pooler.url, poolSize: 1, prepare: false, applicationName: 'pipelined' });
    try {
      for (let n = 0; n < 20; n += 1) {
        // Without a parameter the driver does not wait for the server to describe it: what follows is sent behind it.
        const [[first], [second]] = await Promise.all([
          db.sql`select 1 as a from pg_sleep(0.001)`,
          db.sql<{ n: number }[]>`select ${n}::int as n`,
        ]);
        expect({ ...first, ...second }).toEqual({ a: 1, n });
      }
    } finally {
      await db.close();
      await pooler.stop();
      guard.close();
      rmSync(folder, { recursive: true, force: true });
      await database.drop();
    }
  }, 30_000);
});
