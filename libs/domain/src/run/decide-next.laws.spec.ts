import fc from 'fast-check';
import { celExpressions } from '#libs/expressions';
import { lawRuns } from '../../../context/src/testing/law-runs.js';
import { definitionOf } from '../pipeline/testing/sound-facts.js';
import { PureRun } from '../testing/pure-run.js';
import { randomPipeline } from '../testing/random-pipeline.js';
import type { StepState } from './run-state.js';
import { isEndedStep } from './run-status.js';

/** Sequences in `npm test`; `npm run test:laws -- --runs N` draws more, another seed each time. */
const SEQUENCES = lawRuns(1_500);
const isLong = process.env['WEIR_LAW_RUNS'] !== undefined || process.env['WEIR_LAWS'] === 'long';
const SEED = Number(process.env['WEIR_LAW_SEED'] ?? (isLong ? Date.now() % 2 ** 31 : 20_261_130));
const language = celExpressions();
const anyModel = { connections: null };

type Happening =
  | { do: 'start' | 'finish' | 'release' | 'wake' | 'decide' | 'park'; at: number }
  | {
      do: 'fail';
      at: number;
      as: 'overloaded' | 'invalid_request' | 'rate_limited' | 'step_timeout' | 'lease_expiries';
    }
  | { do: 'cancel' }
  | { do: 'retry' };

const isLoopKind = ({ kind }: StepState): boolean => kind === 'for_each' || kind === 'repeat';
const isWaitKind = ({ kind }: StepState): boolean => kind === 'sleep' || kind === 'approval' || kind === 'wait_for';

class Happens implements fc.Command<{ isCancelled: boolean }, PureRun> {
  constructor(private readonly happening: Happening) {}

  check = (): boolean => true;

  run(expected: { isCancelled: boolean }, run: PureRun): void {
    const { happening } = this;
    if (happening.do === 'cancel') {
      if (!run.hasEnded) expected.isCancelled = true;
      run.cancel();
    } else if (happening.do === 'retry') {
      if (run.hasEnded) expected.isCancelled = false;
      run.retry();
    } else this.toStep(run, happening);
    if (expected.isCancelled && run.hasEnded) expect(run.state.status).toBe('cancelled');
  }

  toString(): string {
    return Object.values(this.happening).join(' ');
  }

  private toStep(run: PureRun, happening: Exclude<Happening, { do: 'cancel' } | { do: 'retry' }>): void {
    const candidates = run.state.steps.filter((step) => fits(happening, step));
    const step = candidates[happening.at % Math.max(1, candidates.length)];
    if (step === undefined) return;
    switch (happening.do) {
      case 'start':
        return run.start(step);
      case 'finish':
      case 'decide':
        return run.finish(step, 'done');
      case 'release':
        return run.release(step);
      case 'park':
        return run.state.cancelRequested ? undefined : run.wait(step, 'paused');
      case 'wake':
        return run.wake(step);
      case 'fail':
        return run.fail(step, happening.as);
    }
  }
}

function fits(happening: Happening, step: StepState): boolean {
  switch (happening.do) {
    case 'start':
      return step.status === 'queued';
    case 'finish':
    case 'release':
    case 'park':
    case 'fail':
      return step.status === 'running';
    case 'wake':
      return step.status === 'waiting' && !isLoopKind(step) && !isWaitKind(step);
    case 'decide':
      return step.status === 'waiting' && isWaitKind(step);
    case 'cancel':
    case 'retry':
      return false;
  }
}

const at = fc.nat(7);
const commands = fc.commands(
  [
    fc.record({ do: fc.constantFrom('start' as const, 'start' as const, 'finish' as const, 'decide' as const), at }),
    fc.record({
      do: fc.constantFrom('start' as const, 'finish' as const, 'release' as const, 'wake' as const, 'park' as const),
      at,
    }),
    fc.record({
      do: fc.constant('fail' as const),
      at,
      as: fc.constantFrom(
        'overloaded' as const,
        'invalid_request' as const,
        'rate_limited' as const,
        'step_timeout' as const,
        'lease_expiries' as const,
      ),
    }),
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ do: fc.constant('finish' as const), at }) },
      fc.record({ do: fc.constantFrom('cancel' as const, 'retry' as const, 'retry' as const) }),
    ),
  ].map((arbitrary: fc.Arbitrary<Happening>) => arbitrary.map((happening) => new Happens(happening))),
  { maxCommands: 40 },
);

/** Ends what is open, in the order that `pick` gives, each as `endOf` says. */
function settle(
  run: PureRun,
  pick: (open: readonly StepState[]) => StepState | undefined,
  end: (step: StepState) => void,
): void {
  for (let turn = 0; turn < 500 && !run.hasEnded; turn += 1) {
    const step = pick(run.state.steps.filter((one) => !isEndedStep(one.status) && !isLoopKind(one)));
    if (step === undefined) throw new Error(`nothing is outstanding and the run is ${run.state.status}`);
    if (step.status === 'queued') run.start(step);
    else if (step.status === 'waiting' && !isWaitKind(step)) run.wake(step);
    else end(step);
  }
  expect(run.hasEnded).toBe(true);
}

it(`keeps its laws whatever happens in whatever order, over ${SEQUENCES} sequences`, () => {
  process.stderr.write(`run laws: ${SEQUENCES} sequences, WEIR_LAW_SEED=${SEED}\n`);
  fc.assert(
    fc.property(randomPipeline, commands, (document, sequence) => {
      const run = new PureRun(definitionOf(document, anyModel), language);
      fc.modelRun(() => ({ model: { isCancelled: false }, real: run }), sequence);
      const finishAll = (): void =>
        settle(
          run,
          (open) => open[0],
          (step) => run.finish(step, 'done'),
        );
      finishAll();
      run.retry();
      finishAll();
    }),
    { numRuns: SEQUENCES, seed: SEED },
  );
}, 3_600_000);

it('comes to the same end in whatever order the steps end (law S10)', () => {
  const fate = fc.constantFrom('succeed', 'fail', 'fail once');
  const orders = fc.array(fc.nat(20), { minLength: 4, maxLength: 30 });
  fc.assert(
    fc.property(
      randomPipeline,
      fc.array(fate, { minLength: 8, maxLength: 8 }),
      orders,
      orders,
      (document, fates, one, other) => {
        const ends = [one, other].map((order) => {
          // Which items a failing for_each cancels is up to their order, and the law does not speak of it.
          const run = new PureRun(definitionOf(withoutFailingItems(document), anyModel), language);
          let turn = 0;
          settle(
            run,
            (open) => open[(order[turn++ % order.length] ?? 0) % Math.max(1, open.length)],
            (step) => endByFate(run, step, fates),
          );
          const { status, output, steps } = run.state;
          const ended = steps.map((step) => `${step.stepId} ${step.item} ${step.round} ${step.status} ${step.attempt}`);
          return { status, output, ended: ended.sort() };
        });
        expect(ends[0]).toEqual(ends[1]);
      },
    ),
    { numRuns: Math.ceil(SEQUENCES / 3), seed: SEED },
  );
}, 3_600_000);

function withoutFailingItems(document: object): unknown {
  return JSON.parse(
    JSON.stringify(document).replaceAll('"on_item_failure":"fail"', '"on_item_failure":"collect"'),
  ) as unknown;
}

/** The same for a step's place, whenever it comes to it. */
function endByFate(run: PureRun, step: StepState, fates: readonly string[]): void {
  const place = `${step.stepId}${step.item ?? ''}${step.round}`;
  const fate = fates[[...place].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % fates.length];
  if (isWaitKind(step) || fate === 'succeed') return run.finish(step, place);
  if (fate === 'fail') return run.fail(step, 'invalid_request');
  if (step.attempt > 1) run.finish(step, place);
  else run.fail(step, 'overloaded');
}
