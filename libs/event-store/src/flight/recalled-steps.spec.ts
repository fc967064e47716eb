import type { Json } from '#libs/domain';
import type { Claimed, RunRecord, StepRunRecord } from '#libs/engine';
import { RecalledSteps } from './recalled-steps.js';

/** What counts of a step: its id and what of its run is large. */
const known = (stepRunId: string, inputs: { [key: string]: Json } = {}, output: Json = null): Claimed => {
  const step: Partial<StepRunRecord> = { stepRunId, output };
  const run: Partial<RunRecord> = { inputs, metadata: {} };
  return { run: run as RunRecord, step: step as StepRunRecord, steps: [step as StepRunRecord], versions: null };
};

describe('RecalledSteps', () => {
  it('gives out what it keeps once', () => {
    const steps = new RecalledSteps();
    steps.keep(known('a'));
    expect(steps.take('a')).toMatchObject({ step: { stepRunId: 'a' } });
    expect(steps.take('a')).toBeNull();
    expect(steps.take('b')).toBeNull();
  });

  it('gives out nothing that waited for more than a second', () => {
    let now = 0;
    const steps = new RecalledSteps(() => now);
    steps.keep(known('a'));
    steps.keep(known('b'));
    now = 1000;
    expect(steps.take('a')).not.toBeNull();
    now = 1001;
    expect(steps.take('b')).toBeNull();
  });

  it('keeps the newest 256', () => {
    const steps = new RecalledSteps();
    for (let n = 0; n < 300; n++) steps.keep(known(`s${n}`));
    const kept = Array.from({ length: 300 }, (_, n) => n).filter((n) => steps.take(`s${n}`) !== null);
    expect(kept).toEqual(Array.from({ length: 256 }, (_, n) => n + 44));
  });

  it('keeps nothing large, wherever it stands', () => {
    const steps = new RecalledSteps();
    const text = 'x'.repeat(9_000);
    steps.keep(known('inputs', { a: [text, { b: text }] }));
    steps.keep(known('output', { a: text }, [text]));
    steps.keep(known('names', { [text]: 1, [`${text}2`]: 2 }));
    steps.keep(known('many', { list: Array.from({ length: 20_000 }, () => 1) }));
    steps.keep(known('small', { a: text }));
    expect(['inputs', 'output', 'names', 'many', 'small'].filter((id) => steps.take(id) !== null)).toEqual(['small']);
  });
});
