import { createEngineHarness, type EngineHarness } from '../../support/engine-harness.js';

/**
 * What an element of a map costs in counts, which do not depend on how fast the machine is. Plans are made while the tables are
 * nearly empty and are kept, as on a new installation. Raise a bound only when you know what you bought with it.
 */
const BOUNDS = [
  // Ten end and ten begin in a flight, with begin, locks, three reads, one write, commit, and about as many to claim them.
  { maxParallel: 10, statementsAnItem: 1.5, rowsAnItem: 45, isAnalyzed: false },
  // 64 end in a flight.
  { maxParallel: 100, statementsAnItem: 0.5, rowsAnItem: 30, isAnalyzed: false },
  // Plans are made anew by what is known of few runs.
  { maxParallel: 100, statementsAnItem: 0.5, rowsAnItem: 30, isAnalyzed: true },
];

const POOL_SIZE = 6;

type Cost = { statements: number; rows: number };

let harness: EngineHarness;
let statements = 0;

beforeEach(async () => {
  harness = await createEngineHarness();
  // Statistics are made when a test says so.
  for (const table of ['step_run', 'step_item'])
    await harness.database.sql.unsafe(`alter table ${table} set (autovacuum_enabled = off)`);
  harness.database.sql.options.debug = () => void (statements += 1);
});
afterEach(() => harness.close());

/** Rows of steps and elements that Postgres has looked at so far; each of the pool's connections says what it has counted. */
async function rowsRead(): Promise<number> {
  const { sql } = harness.database;
  await Promise.all(Array.from({ length: POOL_SIZE }, () => sql`select pg_stat_force_next_flush(), pg_sleep(0.2)`));
  const [row] = await sql<{ rows: number }[]>`
    select sum(seq_tup_read + idx_tup_fetch)::integer as rows from pg_stat_user_tables
    where relname in ('step_run', 'step_item')`;
  return row?.rows ?? 0;
}

/** A map over as many elements, by each of them. */
async function costOf(items: number): Promise<Cost> {
  const rows = await rowsRead();
  statements = 0;
  const run = await harness.run('map', { list: Array.from({ length: items }, (_, n) => n) });
  const made = statements;
  expect(run).toMatchObject({ status: 'succeeded', output: Array.from({ length: items }, (_, n) => n + 1) });
  return { statements: made / items, rows: ((await rowsRead()) - rows) / items };
}

it.each(BOUNDS)(
  'an element costs as much in a map of 2,000 as in one of 200, $maxParallel side by side, analyzed: $isAnalyzed',
  async ({ maxParallel, statementsAnItem, rowsAnItem, isAnalyzed }) => {
    const body = { steps: [{ id: 'item', transform: '${item + 1}' }] };
    await harness.apply({
      name: 'map',
      inputs: { list: { type: 'array', required: true } },
      steps: [{ id: 'each', for_each: '${inputs.list}', max_parallel: maxParallel, do: body }],
      output: '${steps.each.output}',
    });
    await costOf(20);
    const few = await costOf(200);
    if (isAnalyzed) await harness.database.sql`analyze`;
    const many = await costOf(2_000);
    process.stdout.write(`an element of 200: ${JSON.stringify(few)}, of 2,000: ${JSON.stringify(many)}\n`);
    expect(many.statements).toBeLessThan(1.2 * few.statements);
    // A map that is ten times as long would read ten times as much: plans of its first elements make a third of difference.
    expect(many.rows).toBeLessThan(2 * few.rows);
    expect(many.statements).toBeLessThan(statementsAnItem);
    expect(many.rows).toBeLessThan(rowsAnItem);
  },
  120_000,
);
