import { Counter, Gauge, type Registry } from 'prom-client';
import { breakerState } from '#libs/context';
import { countCompactionEnds, listModelFailures, type CompactionCount, type Database } from '#libs/event-store';

type Known = { rows: CompactionCount[]; failuresOfViews: number[] };
/** Labels and value of one series. */
type Sample = { labels: { [label: string]: string }; value: number };

/**
 * Compactions of the installation, from their rows at each scrape, so that they outlive processes and say the same on every
 * API. Without the database there are no samples: zero would look like an installation that never compacted.
 */
export function addCompactionMetrics(registry: Registry, database: Database): void {
  const read = shared(async (): Promise<Known | null> => {
    const [rows, failuresOfViews] = await Promise.all([
      countCompactionEnds(database.kysely),
      listModelFailures(database.kysely),
    ]);
    return { rows, failuresOfViews };
  });
  for (const [name, { help, label, samples }] of Object.entries(COUNTERS)) {
    new Counter({
      name: `weir_compaction${name}_total`,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      async collect() {
        this.reset();
        const known = await read();
        if (known === null) return;
        for (const { labels, value } of samples(known.rows)) this.inc(labels, value);
      },
    });
  }
  new Gauge({
    name: 'weir_compaction_breakers',
    help: 'Views whose paid summaries are held back, because models gave nothing usable.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      const known = await read();
      if (known === null) return;
      const states = known.failuresOfViews.map((inARow) => breakerState({ inARow, lastTo: null }));
      for (const state of ['backing_off', 'open']) this.set({ state }, states.filter((one) => one === state).length);
    },
  });
}

/** All metrics of a scrape ask at the same time: one reading serves them. Null: the database did not answer. */
function shared(load: () => Promise<Known | null>): () => Promise<Known | null> {
  let underWay: Promise<Known | null> | null = null;
  return () => {
    underWay ??= load()
      .catch(() => null)
      .finally(() => {
        underWay = null;
      });
    return underWay;
  };
}

type Definition = { help: string; label?: string; samples: (rows: readonly CompactionCount[]) => Sample[] };

const ended =
  (...statuses: readonly string[]) =>
  (row: CompactionCount): boolean =>
    statuses.includes(row.status);

const total =
  (isCounted: (row: CompactionCount) => boolean, valueOf: (row: CompactionCount) => number) =>
  (rows: readonly CompactionCount[]): Sample[] => [
    { labels: {}, value: rows.filter(isCounted).reduce((sum, row) => sum + valueOf(row), 0) },
  ];

/** `names` are there from the beginning, at zero: a rate over a series needs its first sample. */
const by =
  (
    label: string,
    names: readonly string[],
    isCounted: (row: CompactionCount) => boolean,
    nameOf: (row: CompactionCount) => string,
  ) =>
  (rows: readonly CompactionCount[]): Sample[] => [
    ...names.map((name) => ({ labels: { [label]: name }, value: 0 })),
    ...rows.filter(isCounted).map((row) => ({ labels: { [label]: nameOf(row) }, value: row.count })),
  ];

const all = (): boolean => true;
const count = (row: CompactionCount): number => row.count;

const SKIP_REASONS = ['not_smaller', 'not_profitable', 'nothing_to_compact'];

/** By what stands between `weir_compaction` and `_total`. */
const COUNTERS: { [name: string]: Definition } = {
  s_requested: { help: 'Compactions that were asked for.', samples: total(all, count) },
  s_applied: {
    help: 'Compactions that were applied, by what wrote the summary; rolled back ones too.',
    label: 'by',
    samples: by('by', ['model', 'extractive'], ended('compacted', 'rolled_back'), (row) =>
      row.extractive ? 'extractive' : 'model',
    ),
  },
  s_skipped: {
    help: 'Compactions that would have been of no use, and why.',
    label: 'reason',
    samples: by('reason', SKIP_REASONS, ended('skipped'), (row) => row.why ?? 'unknown'),
  },
  s_discarded: {
    help: 'Summaries that did not fit any more when they were there.',
    samples: total(ended('discarded'), count),
  },
  s_failed: { help: 'Compactions that failed.', samples: total(ended('failed'), count) },
  s_rolled_back: { help: 'Compactions that were rolled back.', samples: total(ended('rolled_back'), count) },
  _chars_freed: {
    help: 'Chars by which summaries are shorter than what they stand for.',
    samples: total(all, (row) => row.charsFreed),
  },
  _cost_dollars: {
    help: 'What the model calls of compactions cost, in US dollars.',
    samples: total(all, (row) => row.costUsd),
  },
  _waits: { help: 'Waits of steps for a compaction that have ended.', samples: total(all, (row) => row.waits) },
  _wait_seconds: {
    help: 'How long steps have waited for compactions.',
    samples: total(all, (row) => row.waitedMs / 1000),
  },
};
