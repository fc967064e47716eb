import type { DatabaseFacts } from './database-facts.js';
import { judgeDatabase, type DatabaseExpectations } from './judge-database.js';

const facts: DatabaseFacts = {
  version: 180_004,
  isStandby: false,
  encoding: 'UTF8',
  unsafe: [],
  maxConnections: 100,
  reservedConnections: 3,
  otherConnections: 2,
  processes: 4,
  statementTimeoutMs: 15_000,
  idleInTransactionTimeoutMs: 7500,
  oldTransaction: null,
  seesAllSessions: true,
  clock: { skewMs: 0, uncertaintyMs: 0 },
};
const expected: DatabaseExpectations = { connectionsPerProcess: 10, processes: null, prepare: true };
const judged = (id: string, found: Partial<DatabaseFacts>, wanted: Partial<DatabaseExpectations> = {}) =>
  judgeDatabase({ ...facts, ...found }, { ...expected, ...wanted }).find((finding) => finding.id === id);
const open = (ageMs: number, pid: number | null = 42) => ({ oldTransaction: { ageMs, pid, who: 'psql' } });

describe('judgeDatabase', () => {
  it('is content with what Weir expects', () => {
    expect(judgeDatabase(facts, expected).filter(({ status }) => status !== 'ok')).toEqual([]);
  });

  // What the server of the tests cannot be made to be.
  it.each<[string, Partial<DatabaseFacts>, string]>([
    ['database_version', { version: 120_000 }, 'fail'],
    ['database_version', { version: 140_002 }, 'warn'],
    ['database_role', { isStandby: true }, 'fail'],
    ['database_timeouts', { idleInTransactionTimeoutMs: 0 }, 'fail'],
    ['database_transactions', open(61_000), 'warn'],
    ['database_transactions', open(901_000), 'fail'],
  ])('%s: %j is a %s', (id, found, status) => {
    expect(judged(id, found)).toMatchObject({ status, advice: expect.any(String) });
  });

  it('needs max_connections ≥ reserved + processes × pool + others + 5', () => {
    const limit = 3 + 4 * 10 + 2 + 5;
    expect(judged('database_connections', { maxConnections: limit })).toMatchObject({ status: 'ok' });
    expect(judged('database_connections', { maxConnections: limit - 1 })).toMatchObject({ status: 'fail' });
    expect(judged('database_connections', { maxConnections: limit }, { processes: 5 })).toMatchObject({
      status: 'fail',
    });
    expect(judged('database_connections', { maxConnections: 10 }, { prepare: false })).toMatchObject({ status: 'ok' });
  });

  it('names the session to end, or the prepared transaction', () => {
    expect(judged('database_transactions', open(61_000))?.advice).toContain('pg_terminate_backend(42)');
    expect(judged('database_transactions', open(61_000, null))?.advice).not.toContain('pg_terminate_backend');
  });
});
