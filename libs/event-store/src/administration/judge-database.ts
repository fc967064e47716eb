import { failing, fine, warning, type Finding } from '#libs/domain';
import type { DatabaseFacts } from './database-facts.js';

export type DatabaseExpectations = {
  /** `WEIR_POOL_SIZE`, and what the queue of a process takes of the same server. */
  readonly connectionsPerProcess: number;
  /** How many processes there will be; null: those that are connected now, at least api, worker and compactor. */
  readonly processes: number | null;
  /** `WEIR_PREPARE`: with prepared statements Weir sends its time-outs with each connection. */
  readonly prepare: boolean;
};

const OLDEST_MAJOR = 13;
/** The tests run on 15 and 18. */
const OLDEST_TESTED_MAJOR = 15;
/** Migrations, `weir doctor`, somebody's psql. */
const SPARE_CONNECTIONS = 5;
const FEWEST_PROCESSES = 3;
const LONG_TRANSACTION_MS = 60_000;
const STUCK_TRANSACTION_MS = 900_000;

/** What Postgres must be like, and what operators should know. Those that keep processes from working stand first. */
export function judgeDatabase(facts: DatabaseFacts, expected: DatabaseExpectations): Finding[] {
  return [
    version(facts),
    role(facts),
    encoding(facts),
    durability(facts),
    connections(facts, expected),
    timeouts(facts, expected),
    transactions(facts),
  ];
}

function version({ version }: DatabaseFacts): Finding {
  const major = Math.floor(version / 10_000);
  const what = {
    id: 'database_version',
    found: `Postgres ${major}.${version % 10_000}`,
    expected: `${OLDEST_TESTED_MAJOR} or newer`,
    isNeeded: true,
  };
  if (major < OLDEST_MAJOR) return failing(what, 'upgrade it: functions that Weir uses are missing');
  return major < OLDEST_TESTED_MAJOR
    ? warning(what, `Weir's tests run on ${OLDEST_TESTED_MAJOR} and 18: upgrade it`)
    : fine(what);
}

function role({ isStandby }: DatabaseFacts): Finding {
  const what = { id: 'database_role', expected: 'a primary', isNeeded: true };
  return isStandby
    ? failing({ ...what, found: 'the server is a standby' }, 'it takes no writes: give the address of its primary')
    : fine({ ...what, found: 'the server is a primary' });
}

function encoding({ encoding }: DatabaseFacts): Finding {
  const what = { id: 'database_encoding', found: `encoding ${encoding}`, expected: 'UTF8', isNeeded: true };
  return encoding === 'UTF8' ? fine(what) : failing(what, 'make a database with encoding UTF8 and template template0');
}

function durability({ unsafe }: DatabaseFacts): Finding {
  const what = { id: 'database_durability', expected: 'commits that survive a crash', isNeeded: false };
  if (unsafe.length === 0) return fine({ ...what, found: 'commits survive a crash of the server' });
  return warning(
    { ...what, found: `${unsafe.join(', ')} off: a crash of the server loses runs that were accepted` },
    'switch them on, except for tests',
  );
}

/** processes × connections of one + those of others + 5 ≤ max_connections − reserved ones. */
function connections(facts: DatabaseFacts, expected: DatabaseExpectations): Finding {
  const what = { id: 'database_connections', isNeeded: false };
  if (!expected.prepare)
    return fine({
      ...what,
      found: 'a pooler stands between (WEIR_PREPARE=false)',
      expected: 'its pool to be the bound',
    });
  const processes = expected.processes ?? Math.max(facts.processes, FEWEST_PROCESSES);
  const needed = processes * expected.connectionsPerProcess + facts.otherConnections + SPARE_CONNECTIONS;
  const available = facts.maxConnections - facts.reservedConnections;
  const found = `${processes} processes × ${expected.connectionsPerProcess} + ${facts.otherConnections} of others + ${SPARE_CONNECTIONS} = ${needed} connections`;
  const judgement = { ...what, found, expected: `at most ${available} (max_connections less reserved ones)` };
  return needed <= available
    ? fine(judgement)
    : failing(judgement, 'lower WEIR_POOL_SIZE, raise max_connections, or put PgBouncer between (WEIR_PREPARE=false)');
}

/** What a stopped process holds, it holds for ever unless the server ends its transaction. */
function timeouts(facts: DatabaseFacts, { prepare }: DatabaseExpectations): Finding {
  const { statementTimeoutMs, idleInTransactionTimeoutMs } = facts;
  const what = {
    id: 'database_timeouts',
    found: `statement_timeout ${statementTimeoutMs} ms, idle_in_transaction_session_timeout ${idleInTransactionTimeoutMs} ms`,
    expected: 'both above 0',
    isNeeded: false,
  };
  if (statementTimeoutMs > 0 && idleInTransactionTimeoutMs > 0) return fine(what);
  const onRole =
    "alter role … set statement_timeout = '15s'; alter role … set idle_in_transaction_session_timeout = '7500ms'";
  return prepare
    ? failing(what, `a pooler drops what Weir asks for: set WEIR_PREPARE=false, and on the server ${onRole}`)
    : warning(what, `with WEIR_PREPARE=false the server has to bound transactions: ${onRole}`);
}

function transactions({ oldTransaction, seesAllSessions }: DatabaseFacts): Finding {
  const what = {
    id: 'database_transactions',
    expected: `none older than ${LONG_TRANSACTION_MS / 1000} s: events behind it are shown to nobody`,
    isNeeded: false,
  };
  const limits = seesAllSessions ? '' : " (of this role's sessions; pg_read_all_stats shows all)";
  if (oldTransaction === null) return fine({ ...what, found: `no open transaction that wrote${limits}` });
  const { ageMs, pid, who } = oldTransaction;
  const found = `the oldest transaction that wrote is ${Math.round(ageMs / 1000)} s old (${who})${limits}`;
  if (ageMs < LONG_TRANSACTION_MS) return fine({ ...what, found });
  const advice =
    pid === null
      ? 'commit or roll it back by its name'
      : `end it: select pg_terminate_backend(${pid}), if nobody misses it`;
  return ageMs < STUCK_TRANSACTION_MS ? warning({ ...what, found }, advice) : failing({ ...what, found }, advice);
}
