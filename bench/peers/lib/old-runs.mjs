// Runs of long ago: one real run of a step, multiplied by SQL. Every table that has rows of it gets as many more, with ids of
// their own; so what is stored of a run is what the engine stores, whatever its tables are.
import pg from 'pg';
import { pgUrl, sleep } from './basics.mjs';
import { DB, composed, starter, startProcess } from './weir-app.mjs';

const BATCH = 25_000;
/** Columns that name the run or something of it. */
const IDS = new Set(['run_id', 'stream_id', 'step_run_id']);

/** `count` ended runs of the pipeline `one`, vacuumed and analysed. @returns tables and rows of each that were written */
export async function seedOldRuns(count) {
  const runId = await templateRun();
  const client = new pg.Client(pgUrl(DB));
  await client.connect();
  try {
    const tables = await tablesOf(client, runId);
    for (let from = 1; from <= count; from += BATCH)
      for (const table of tables) await client.query(table.insert, [from, Math.min(count, from + BATCH - 1)]);
    for (const { name } of tables) await client.query(`vacuum (analyze) ${name}`);
    await client.query('checkpoint');
    return Object.fromEntries(tables.map(({ name, rows }) => [name, rows * count]));
  } finally {
    await client.end();
  }
}

async function templateRun() {
  const worker = await startProcess('worker');
  const { runtime, close } = await composed();
  try {
    const start = await starter(runtime.engine);
    const runId = await start('one', { id: 'old' });
    const isEnded = () =>
      runtime.database.run((sql) => sql`select from run where run_id = ${runId} and status = 'succeeded'`);
    while ((await isEnded()).length === 0) await sleep(50);
    return runId;
  } finally {
    await close();
    await worker.stop();
  }
}

/** The tables with rows of the run, and how each is multiplied. */
async function tablesOf(client, runId) {
  const { rows } = await client.query(
    `select c.table_name as name, array_agg(c.column_name::text) as columns, array_agg(c.data_type::text) as types
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_identity = 'NO' and c.is_generated = 'NEVER'
     group by 1 order by 1`,
  );
  const tables = [];
  for (const { name, columns, types } of rows) {
    const ids = columns.filter((column) => IDS.has(column));
    if (ids.length === 0) continue;
    const template = `template_${name}`;
    const own = ids.map(
      (id) => `${id} like $1 || '%' or ${id} in (select step_run_id from step_run where run_id = $1)`,
    );
    await client.query(`create temp table ${template} as select * from ${name} where ${own.join(' or ')}`, [runId]);
    const { rows: found } = await client.query(`select count(*)::int as rows from ${template}`);
    if (found[0].rows === 0) continue;
    tables.push({ name, rows: found[0].rows, insert: insertOf(name, template, runId, columns, types) });
  }
  return tables;
}

/** Ids as the engine makes them: of steps hashes, of runs and events first the time (ADR 0044), one run a second before today. */
function insertOf(name, template, runId, columns, types) {
  const values = columns.map((column, at) => {
    if (column === 'step_run_id') return `'stp_' || md5(t.step_run_id || n)::uuid`;
    if (IDS.has(column)) return `replace(t.${column}, '${runId}', r.run_id)`;
    return types[at] === 'uuid' ? `(r.time || '-8' || ${tailOf(`t.${column}`)})::uuid` : `t.${column}`;
  });
  return `
    insert into ${name} (${columns.join(', ')})
    select ${values.join(', ')}
    from ${template} t
    cross join (
      select n, time, 'run_' || time || '-7' || ${tailOf("'run'")} as run_id
      from generate_series($1::int, $2::int) n
      cross join lateral (
        select overlay(lpad(to_hex((extract(epoch from date_trunc('day', now())) * 1000)::bigint - n * 1000), 12, '0') placing '-' from 9 for 0) as time
      ) at
    ) r`;
}

/** What is left of a UUID behind its time and version. */
const tailOf = (text) => `regexp_replace(md5(${text}::text || n), '^(.{3}).(.{3})(.{12}).*$', '\\1-8\\2-\\3')`;
