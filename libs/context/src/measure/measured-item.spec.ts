import { sessionUnder, testModel, windowPolicy } from '../testing/session.js';
import type { ShownItem } from '../view/entry.js';
import { KnownForms, measureOnce } from './measured-item.js';

describe('the size of an entry', () => {
  it('is counted once for each form that it is shown in (row 97)', () => {
    const [event] = sessionUnder(windowPolicy({})).user('x'.repeat(1_000)).events;
    if (event === undefined) throw new Error('no event');
    const known = new KnownForms();
    let counted = 0;
    const make = (): ShownItem => {
      counted += 1;
      return { role: 'user', entry: 1, content: [{ type: 'text', text: 'x' }], state: 'whole', pinned: false };
    };
    const measured = (form: string, model = testModel()): unknown =>
      measureOnce(known.under(model)(event), form, model, make);
    const first = measured('a form');
    // Equal facts, another object: as after a manifest is read again.
    for (let build = 0; build < 5; build += 1) expect(measured('a form')).toBe(first);
    expect(counted).toBe(1);
    measured('another form');
    measured('a form', testModel({ apiFormat: 'anthropic' }));
    expect(counted).toBe(3);
  });
});
