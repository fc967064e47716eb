// `npm run bench:build-time`: CPU time, rows read and memory of builds against the length of the log, for a worker that
// follows a run and one that knows nothing of it; writes `bench/context/build-time/report.md`. Minutes; needs nothing running.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { CAPS, playRun, WARM_UP, type Caps, type Measured } from './measure.js';
import { BenchStore, suiteHook, type ColdStart } from './store.js';

type Table = { label: string; measured: Measured[]; cold: ColdStart[] };

const tables: Table[] = [];
await suiteHook('global-setup');
await measure(WARM_UP);
for (const caps of CAPS) tables.push(await measure(caps));
await suiteHook('global-teardown');
writeFileSync(new URL('report.md', import.meta.url), reportMarkdown());

async function measure(caps: Caps): Promise<Table> {
  const table: Table = { label: caps.label, measured: [], cold: [] };
  const store = await BenchStore.open();
  try {
    await playRun(
      caps,
      (events) => store.add(events),
      async (measured, play, log) => {
        process.stderr.write(`${caps.label}: ${JSON.stringify(measured)}\n`);
        table.measured.push(measured);
        table.cold.push(await store.coldStart(play, log.length));
      },
    );
  } finally {
    await store.close();
  }
  return table;
}

function reportMarkdown(): string {
  const load = loadavg()
    .map((one) => one.toFixed(1))
    .join(', ');
  return [
    '# Builds against the length of the log',
    '',
    'Written by `npm run bench:build-time`. One run of tool calls on one sub-stream, about 1,400 chars a turn. Warm: a worker',
    'that follows the run; CPU of all threads, for taking in the new events and building, over the last 300 builds (canonical',
    'bytes are made, neither hashed nor converted for a client). Cold: a worker that knows nothing, on Postgres over a socket,',
    `best of five. A run of ${number(WARM_UP.lengths.at(-1) ?? 0)} events was played first in the same way and thrown away, so that no`,
    `case measures how code is compiled. ${cpus().length} CPUs, load ${load}.`,
    '',
    ...tables.flatMap(tableOf),
  ].join('\n');
}

function tableOf({ label, measured, cold }: Table): string[] {
  const row = (one: Measured, at: number): string => {
    const start = cold[at];
    return `| ${[
      number(one.events),
      one.cpuMs.p50.toFixed(1),
      one.cpuMs.p95.toFixed(1),
      one.rows,
      number(one.kept),
      megabytes(one.keptBytes),
      megabytes(one.heapBytes),
      number(one.messages),
      one.compactions,
      number(start?.rows ?? 0),
      start?.queries ?? 0,
      (start?.ms ?? 0).toFixed(0),
    ].join(' | ')} |`;
  };
  return [
    `## ${label}`,
    '',
    '| events in the log | CPU ms, p50 | p95 | rows read, warm | events kept | kept, MB | heap, MB | messages | compactions | rows read, cold | queries | ms, cold |',
    `| ${Array.from({ length: 12 }, () => '---:').join(' | ')} |`,
    ...measured.map(row),
    '',
    ...growthOf(measured),
  ];
}

/** What a hundred times as many events do to a build. */
function growthOf(measured: readonly Measured[]): string[] {
  const [short, long] = [1_000, 100_000].map((events) => measured.find((one) => one.events >= events));
  if (short === undefined || long === undefined) return [];
  const times = (of: (one: Measured) => number): string => (of(long) / of(short)).toFixed(1);
  const cpu = `${times(({ cpuMs }) => cpuMs.p50)} times the CPU (p95: ${times(({ cpuMs }) => cpuMs.p95)} times)`;
  const kept = `keeps ${times(({ kept: events }) => events)} times the events in ${times(({ heapBytes }) => heapBytes)} times the heap`;
  return [
    `At ${number(long.events)} events a build takes ${cpu} of one at ${number(short.events)}, and its worker ${kept}.`,
    '',
  ];
}

function number(value: number): string {
  return new Intl.NumberFormat('en-US').format(value);
}
function megabytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}
