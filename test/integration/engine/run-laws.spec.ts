import fc from 'fast-check';
import { isEndedRun, type JsonObject, type RunStatus } from '../../../libs/domain/src/index.js';
import { randomPipeline } from '../../../libs/domain/src/testing/random-pipeline.js';
import { lawRuns } from '../../../libs/context/src/testing/law-runs.js';
import { createEngineHarness, type EngineHarness } from '../../support/engine-harness.js';
import { askTheTest, PlayedRun, type FailureClass } from '../../support/played-run.js';

/** Sequences in `npm test`; `npm run test:laws -- --runs N` draws more, another seed each time. */
const SEQUENCES = lawRuns(20);
const isLong = process.env['WEIR_LAW_RUNS'] !== undefined || process.env['WEIR_LAWS'] === 'long';
const SEED = Number(process.env['WEIR_LAW_SEED'] ?? (isLong ? Date.now() % 2 ** 31 : 20_261_130));

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: 'child',
    defaults: { model: 'scripted:drawn', retry: { max_attempts: 1 } },
    agents: { a: {} },
    steps: [{ id: 'inside', agent: 'a', task: 'Go.' }],
  });
  askTheTest(harness);
});
afterAll(() => harness.close());

/** What the outside has asked for, and what must come of it. */
type Expected = { mustEnd: RunStatus[] | null };

type Happening =
  | { do: 'start' | 'finish' | 'turn' | 'kill' | 'drain' | 'expire' | 'redeliver' | 'approve' | 'deny'; at: number }
  | { do: 'fail'; at: number; class: FailureClass }
  | {
      do: 'cancel' | 'time_out' | 'pause' | 'resume' | 'retry' | 'signal' | 'time' | 'sweep' | 'lose_queue' | 'all_die';
    };

class Happens implements fc.AsyncCommand<Expected, PlayedRun> {
  constructor(private readonly happening: Happening) {}

  check = (): boolean => true;

  async run(expected: Expected, run: PlayedRun): Promise<void> {
    await this.happen(expected, run);
    await run.look();
  }

  toString(): string {
    const { do: what, ...rest } = this.happening;
    return `${what}${Object.values(rest)
      .map((value) => ` ${value}`)
      .join('')}`;
  }

  private async happen(expected: Expected, run: PlayedRun): Promise<void> {
    const { happening } = this;
    switch (happening.do) {
      case 'start':
        return run.take(happening.at);
      case 'finish':
        return run.answer(happening.at, { text: 'done' });
      case 'turn':
        return run.answer(happening.at, { tool_calls: [{ name: 'now' }] });
      case 'fail':
        return run.answer(happening.at, { failure: { class: happening.class } });
      case 'kill':
        return run.kill(happening.at);
      case 'drain':
        return run.drain(happening.at);
      case 'expire':
        return run.expire(happening.at);
      case 'redeliver':
        return run.redeliver(happening.at);
      case 'approve':
      case 'deny':
        return run.decide(happening.at, happening.do);
      case 'cancel':
      case 'time_out':
        return stop(expected, run, happening.do);
      case 'pause':
        return run.pause();
      case 'resume':
        return run.resume();
      case 'retry':
        if (await run.retry()) expected.mustEnd = null;
        return;
      case 'signal':
        return run.signal();
      case 'time':
        return run.timePasses();
      case 'sweep':
        return run.sweep();
      case 'lose_queue':
        return run.loseQueue();
      case 'all_die':
        return run.loseLeases();
    }
  }
}

/** Whoever comes first decides between a cancel and the deadline; a run that has ended stays as it is. */
async function stop(expected: Expected, run: PlayedRun, how: 'cancel' | 'time_out'): Promise<void> {
  const before = (await harness.runRecord(run.runId)).status;
  await (how === 'cancel' ? run.cancel() : run.timeOut());
  if (isEndedRun(before)) expected.mustEnd = [before];
  else expected.mustEnd ??= ['cancelled', 'timed_out'];
}

const at = fc.nat(5);
const withPlace = fc.oneof(
  { weight: 12, arbitrary: fc.constant('start' as const) },
  { weight: 6, arbitrary: fc.constant('finish' as const) },
  { weight: 2, arbitrary: fc.constantFrom('turn' as const, 'kill' as const, 'expire' as const, 'redeliver' as const) },
  fc.constantFrom('drain' as const, 'approve' as const, 'deny' as const),
);
const happenings: fc.Arbitrary<Happening>[] = [
  fc.record({ do: withPlace, at }),
  fc.record({ do: withPlace, at }),
  fc.record({ do: withPlace, at }),
  fc.record({
    do: fc.constant('fail' as const),
    at,
    class: fc.constantFrom<FailureClass>('overloaded', 'invalid_request', 'rate_limited'),
  }),
  fc.record({
    do: fc.constantFrom('cancel' as const, 'time_out' as const, 'pause' as const, 'resume' as const, 'retry' as const),
  }),
  fc.record({
    do: fc.constantFrom(
      'signal' as const,
      'time' as const,
      'sweep' as const,
      'lose_queue' as const,
      'all_die' as const,
    ),
  }),
];
const commands = fc.commands(
  happenings.map((arbitrary) => arbitrary.map((happening) => new Happens(happening))),
  { maxCommands: 25 },
);

/** One sequence, and what follows when everything is answered at last. */
async function play(document: JsonObject, sequence: Iterable<fc.AsyncCommand<Expected, PlayedRun>>): Promise<void> {
  const run = await PlayedRun.start(harness, document);
  const expected: Expected = { mustEnd: null };
  try {
    await run.look();
    await fc.asyncModelRun(() => ({ model: expected, real: run }), sequence);
    const { status } = await run.settle();
    await run.look();
    if (expected.mustEnd !== null) expect(expected.mustEnd).toContain(status);
  } finally {
    await run.end();
  }
}

it(`keeps the laws of decide-next.ts whatever happens in whatever order, over ${SEQUENCES} sequences`, async () => {
  process.stderr.write(`run laws: ${SEQUENCES} sequences on the database, WEIR_LAW_SEED=${SEED}\n`);
  await fc.assert(fc.asyncProperty(randomPipeline, commands, play), {
    numRuns: SEQUENCES,
    seed: SEED,
  });
}, 3_600_000);
