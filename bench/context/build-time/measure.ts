import {
  buildContext,
  effectivePolicy,
  KeptEvents,
  policyCanonical,
  type BuildResult,
  type Manifest,
  type NextBuild,
  type ReadyBuild,
} from '../../../libs/context/src/index.js';
import { testManifest, testModel } from '../../../libs/context/src/testing/session.js';
import type { StoredEvent } from '../../../libs/domain/src/index.js';
import { RUN, SessionLog, summaryOf, toolOutput } from './session-log.js';

/** `lengths`: of the log, at which builds are measured. Under the default caps builds show ten times as much and take as long. */
export const CAPS = [
  {
    label: 'soft cap 60,000',
    window: { soft_cap_chars: 60_000, hard_cap_chars: 120_000 },
    lengths: [100, 1_000, 10_000, 100_000],
  },
  { label: 'default caps', window: {}, lengths: [100, 1_000, 10_000] },
];
export type Caps = (typeof CAPS)[number];

/** Played first and thrown away, as every case is: some 2,000 builds compile what is measured. */
export const WARM_UP = {
  label: 'warm-up',
  window: { soft_cap_chars: 60_000, hard_cap_chars: 120_000 },
  lengths: [100, 1_000, 10_000],
};

/** Builds in front of each length that its numbers are taken over. */
const SAMPLES = 300;

export type Measured = {
  events: number;
  cpuMs: { p50: number; p95: number };
  /** Rows that the worker read between two builds, at most. */
  rows: number;
  /** Events that it keeps, and what they and all of this process take after a collection of garbage. */
  kept: number;
  keptBytes: number;
  heapBytes: number;
  /** Chars of the request, messages in it. */
  chars: number;
  messages: number;
  compactions: number;
};

export type Kept = Pick<KeptEvents, 'events' | 'known'>;
export type Played = { manifest: Manifest; next: NextBuild };

export function played(caps: Caps): Played {
  const policy = effectivePolicy({ step: { window: caps.window } }, false);
  const manifest = testManifest(policy, testModel());
  const view = { mode: 'inherit', runId: RUN, cutoffSeq: null } as const;
  return { manifest, next: { view, policyHash: policyCanonical(policy), model: manifest.model } };
}

export function buildFrom({ manifest, next }: Played, { events, known }: Kept, uptoSeq: number): BuildResult {
  return buildContext({ ...next, manifest, events, known, memory: null, uptoSeq, runActive: true, purpose: 'managed' });
}

/**
 * One run of tool calls, followed as a worker follows it. `store` gets every event, `at` is called at each length. Measured is
 * the CPU time (all threads) of taking in the new events and building; the canonical bytes are made, their hash is not.
 */
export async function playRun(
  caps: Caps,
  store: (events: readonly StoredEvent[]) => Promise<void>,
  at: (measured: Measured, play: Played, log: SessionLog) => Promise<void>,
): Promise<void> {
  const play = played(caps);
  const log = new SessionLog();
  const worker = new KeptEvents(play.next.view, { events: [], fromSeq: 1, uptoSeq: 0, hasAllCompactions: true });
  const samples: { cpuMs: number; rows: number }[] = [];
  let compactions = 0;
  log.user('Refactor the modules one after the other and run the tests each time.');
  for (let turn = 1, next = 0; next < caps.lengths.length; turn += 1) {
    const fresh = log.take();
    await store(fresh);
    const before = process.cpuUsage();
    worker.append(fresh);
    const build = buildFrom(play, worker, log.length);
    const spent = process.cpuUsage(before);
    const ready = readyOf(build);
    samples.push({ cpuMs: (spent.user + spent.system) / 1_000, rows: fresh.length });
    if (samples.length > SAMPLES) samples.shift();
    if (log.length >= (caps.lengths[next] ?? Infinity)) {
      await at({ events: log.length, ...summed(samples), ...sizesOf(worker, ready), compactions }, play, log);
      next += 1;
    }
    if (ready.proposal !== null) {
      log.compaction(ready.proposal, summaryOf(turn, ready.proposal.maxSummaryChars));
      compactions += 1;
      continue;
    }
    log.turn(
      ready,
      play.next.policyHash,
      `Step ${turn}: module ${turn % 97}, because of value ${turn}.`,
      toolOutput(turn),
    );
  }
}

function readyOf(build: BuildResult): ReadyBuild {
  if (build.kind !== 'ready') throw new Error(`the build is ${build.kind}`);
  return build;
}

function summed(samples: readonly { cpuMs: number; rows: number }[]): Pick<Measured, 'cpuMs' | 'rows'> {
  const sorted = samples.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { cpuMs: { p50: at(0.5), p95: at(0.95) }, rows: Math.max(...samples.map(({ rows }) => rows)) };
}

function sizesOf(worker: KeptEvents, build: ReadyBuild): Omit<Measured, 'events' | 'cpuMs' | 'rows' | 'compactions'> {
  globalThis.gc?.();
  return {
    kept: worker.events.length,
    keptBytes: worker.bytes,
    heapBytes: process.memoryUsage().heapUsed,
    chars: build.chars,
    messages: build.messages.length,
  };
}
