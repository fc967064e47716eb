import { KnownForms } from '../measure/measured-item.js';
import fc from 'fast-check';
import { API_FORMATS } from '../neutral.js';
import { effectivePolicy } from '../policy/index.js';
import { protectedEntries } from '../protected-entries.js';
import { lawRuns } from '../testing/law-runs.js';
import { randomStream } from '../testing/random-stream.js';
import { testModel } from '../testing/session.js';
import { readView } from '../view/read-view.js';
import { everything } from './select.js';
import { stages } from './index.js';
import type { Cell, Knobs } from './stage.js';

const SHOWN_STATES: readonly string[] = ['whole', 'masked', 'shortened'];

const marks = fc.record({
  forgetTo: fc.nat({ max: 20 }),
  maskTo: fc.nat({ max: 30 }),
  elidedTo: fc.nat({ max: 30 }),
  leftOutTo: fc.nat({ max: 20 }),
  truncatedTo: fc.nat({ max: 20 }),
  reasoningFrom: fc.nat({ max: 30 }),
  shortening: fc.option(fc.record({ minChars: fc.constantFrom(0, 5, 2_000), to: fc.nat({ max: 30 }) })),
  staleChars: fc.constant(0),
});

/** So small that single results are over it. */
const softCap = fc.constantFrom(12_001, 40, 400_000);

describe('every stage', () => {
  it('does nothing when it is applied again, adds and removes no entry, and never lengthens (law C13)', () => {
    fc.assert(
      fc.property(randomStream(), marks, fc.constantFrom(...API_FORMATS), softCap, (events, drawn, apiFormat, soft) => {
        const view = readView(events, { mode: 'inherit', runId: null, cutoffSeq: null });
        const model = testModel({ apiFormat });
        const knobs: Knobs = {
          policy: effectivePolicy({ step: { window: { soft_cap_chars: soft, hard_cap_chars: soft } } }, false),
          model,
          marks: drawn,
          protectedEntries: protectedEntries(view),
        };
        let current = everything(view, model, 2_000, new KnownForms());
        for (const stage of stages) {
          const once = stage.apply(current, knobs).view;
          const twice = stage.apply(once, knobs).view;
          const isSame = (cell: Cell, at: number): boolean =>
            JSON.stringify([twice.cells[at]?.state, twice.cells[at]?.pinned, twice.cells[at]?.shown?.item]) ===
            JSON.stringify([cell.state, cell.pinned, cell.shown?.item]);
          const isShorter = (cell: Cell, at: number): boolean =>
            cell.entry === current.cells[at]?.entry &&
            (cell.shown?.chars ?? 0) <= (current.cells[at]?.shown?.chars ?? 0) &&
            (cell.shown !== null) === SHOWN_STATES.includes(cell.state);
          expect(once.cells.length).toBe(current.cells.length);
          expect(once.cells.findIndex((cell, at) => !isSame(cell, at))).toBe(-1);
          expect(once.cells.findIndex((cell, at) => !isShorter(cell, at))).toBe(-1);
          current = once;
        }
      }),
      { numRuns: lawRuns(400) },
    );
  });
});
