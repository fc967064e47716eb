import { KnownForms } from '../measure/measured-item.js';
import { NO_MARKS } from '../frontier.js';
import { sessionUnder, testModel, windowPolicy } from '../testing/session.js';
import { readView } from '../view/read-view.js';
import { mask } from './mask.js';
import { everything } from './select.js';
import { shorten } from './shorten.js';

describe('shortening', () => {
  it('by the ladder never lengthens what a small soft cap has cut already (law C14)', () => {
    const policy = windowPolicy({ soft_cap_chars: 1_200, hard_cap_chars: 60_000 });
    const session = sessionUnder(policy)
      .user('the task')
      .turn('', ['x'.repeat(7_000)]);
    const view = readView(session.events, session.view);
    const chars = (shortening: { minChars: number; to: number } | null): number => {
      const knobs = {
        policy,
        model: testModel(),
        protectedEntries: new Set<number>(),
        marks: { ...NO_MARKS, shortening },
      };
      const { cells } = shorten.apply(everything(view, testModel(), 2_000, new KnownForms()), knobs).view;
      return cells.find(({ state }) => state === 'shortened')?.shown?.chars ?? 0;
    };
    const byCap = chars(null);
    expect(byCap).toBeGreaterThan(0);
    // The ladder keeps 800 chars of each end, the cap an eighth of 1,200.
    expect(byCap).toBeLessThan(800);
    expect(chars({ minChars: 2_000, to: 9 })).toBe(byCap);
  });

  it('leaves nothing for a placeholder where its ends are shorter than that', () => {
    const policy = windowPolicy({});
    const pages = {
      type: 'document' as const,
      media_type: 'application/pdf',
      data: 'JVBERi0=',
      name: 'a.pdf',
      pages: 2,
    };
    const session = sessionUnder(policy)
      .user('the task')
      .turn('', [[pages]]);
    const view = readView(session.events, session.view);
    const marks = { ...NO_MARKS, maskTo: 9, shortening: { minChars: 2_000, to: 9 } };
    const knobs = { policy, model: testModel(), protectedEntries: new Set<number>(), marks };
    const masked = mask.apply(everything(view, testModel(), 2_000, new KnownForms()), knobs).view;
    const { cells } = shorten.apply(masked, knobs).view;
    expect(cells.map(({ state }) => state)).toEqual(['whole', 'whole', 'shortened']);
    const alone = mask.apply(everything(view, testModel(), 2_000, new KnownForms()), {
      ...knobs,
      marks: { ...marks, shortening: null },
    });
    expect(alone.view.cells.at(-1)?.state).toBe('masked');
  });
});
