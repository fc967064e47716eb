// What was measured, as Markdown: the measures with their limits, then what has none.
import { median } from './measures.mjs';

export function measureTable(verdicts) {
  const rows = verdicts.map(({ measure, value, limit, must, aim, runs }) => [
    measure,
    value,
    limit,
    must ? 'yes' : 'NO',
    aim ? 'yes' : 'no',
    runs.join(', '),
  ]);
  return table(['measure', 'value', 'must', 'met', 'aim met', 'runs'], rows);
}

const cpu = (part) => (run) => run.cpu_ms_per_unit?.[part];
const COST = [
  ['transactions', (run) => run.commits_per_unit],
  ['fsyncs', (run) => run.fsyncs_per_unit],
  ['WAL, B', (run) => run.wal_bytes_per_unit],
  ['scripts', (run) => run.redis_scripts_per_unit],
  ['CPU ms', cpu('all')],
  ['client', cpu('client')],
  ['worker', cpu('worker')],
  ['Postgres', cpu('pg')],
  ['Redis', cpu('redis')],
];
const LOAD = ['load', (run) => run.load1];
const ms = (field) => [field.replace(/_ms$/, ' ms').replaceAll('_', ' '), (run) => run[field]];

/** Medians by peer and variant; what a unit is (a step, an item, a turn) stands in the title. */
const TABLES = [
  {
    title: 'W1, chains of 5 steps, 50 clients; a step',
    of: (run) => run.w === 'W1',
    columns: [['steps/s', (run) => run.steps_s], ms('p50_ms'), ms('p99_ms'), ...COST, LOAD],
  },
  {
    title: 'W2, one chain at a time; a step',
    of: (run) => run.w === 'W2',
    columns: [ms('step_p50_ms'), ms('step_p99_ms'), ms('start_p50_ms'), ms('total_p50_ms'), ...COST, LOAD],
  },
  {
    title: 'W3, a map of 200 items; an item',
    of: (run) => run.w === 'W3',
    columns: [['items/s', (run) => run.items_s], ms('p50_ms'), ...COST, LOAD],
  },
  {
    title: 'W3d, the same with 10 items at once; an item',
    of: (run) => run.w === 'W3d',
    columns: [['items/s', (run) => run.items_s], ms('p50_ms'), ...COST, LOAD],
  },
  {
    title: 'W4, an agent of 500 turns; a turn',
    of: (run) => run.w === 'W4',
    columns: [
      ...[ms('turn_ms'), ms('first_tenth_ms'), ms('last_tenth_ms')],
      ['WAL in all, MB', (run) => run.wal_bytes / 1e6],
      ['largest call, chars', (run) => run.model_max_chars],
      ...COST,
      LOAD,
    ],
  },
  {
    title: 'Context rebuilt',
    of: (run) => run.variant === 'context',
    name: (run) => `${run.n} events, ${run.shown} shown`,
    columns: [ms('raw_ms'), ms('cold_ms'), ms('warm_ms'), ['cold ÷ raw', (run) => run.cold_by_raw], LOAD],
  },
  {
    title: 'HTTP, 50 clients; a request (sse: an event)',
    of: (run) => run.variant === 'http',
    name: (run) => run.w,
    columns: [
      ['per s', (run) => run.per_s],
      ...[ms('p50_ms'), ms('p99_ms'), ms('max_ms')],
      ['CPU ms of the API', (run) => run.cpu_ms],
      LOAD,
    ],
  },
  {
    title: 'Hot paths, ms an operation',
    of: (run) => run.variant === 'micro',
    name: (run) => run.w,
    columns: [
      ['ms', (run) => run.ms],
      ['p99', (run) => run.p99_ms],
      ['beside it', (run) => run.bare],
      ['its ms', (run) => run.bare_ms],
      ['ratio', (run) => run.by_bare],
      LOAD,
    ],
  },
  {
    title: 'Processes and queues; a step',
    of: (run) => run.variant === 'processes',
    name: (run) => `${run.w}, ${run.apis ?? run.workers} ${run.apis === undefined ? 'workers' : 'API'}, ${run.n} runs`,
    columns: [
      ['accepted/s', (run) => run.accepted_s],
      ['steps/s', (run) => run.steps_s],
      ['first half', (run) => run.first_half_s],
      ['second half', (run) => run.second_half_s],
      ['CPU ms of workers', (run) => run.worker_cpu_ms],
      ['of Postgres', cpu('pg')],
      ['transactions', (run) => run.commits_per_unit],
      ['peak MB of a worker', (run) => run.worker_peak_mb],
      LOAD,
    ],
  },
  {
    title: 'Idle, and memory in MB',
    of: (run) => run.variant === 'idle',
    name: (run) => run.w,
    columns: [
      ...['api', 'worker', 'compactor'].map((app) => [`CPU ms/s ${app}`, (run) => run.cpu_ms_per_s?.[app]]),
      ['Postgres', (run) => run.pg_cpu_ms_per_s],
      ['Redis', (run) => run.redis_cpu_ms_per_s],
      ['transactions/s', (run) => run.transactions_per_s],
      ['commands/s', (run) => run.redis_commands_per_s],
      ...['api', 'worker', 'compactor'].map((app) => [`MB ${app}`, (run) => run.rss_mb[app]]),
      LOAD,
    ],
  },
];

/** Those for which something was measured. */
export function otherTables(results) {
  return TABLES.flatMap(({ title, of, name = nameOf, columns }) => {
    const groups = grouped(results.filter(of), name);
    if (groups.size === 0) return [];
    const rows = [...groups].map(([label, runs]) => [
      label,
      ...columns.map(([, field]) => middle(runs.map(field))),
      runs.length,
    ]);
    return [`### ${title}\n\n${table(['', ...columns.map(([heading]) => heading), 'runs'], rows)}`];
  });
}

function grouped(runs, name) {
  const groups = new Map();
  for (const run of runs) groups.set(name(run), [...(groups.get(name(run)) ?? []), run]);
  return groups;
}

const nameOf = ({ peer, variant }) => `${peer} ${variant}`;

/** Of texts the first one. */
function middle(values) {
  if (values.some((value) => typeof value === 'string')) return values[0];
  const value = median(values);
  return value === null ? '' : Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 3 });
}

function table(headings, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}
