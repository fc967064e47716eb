import { readFileSync } from 'node:fs';
import { measureSession, type Measures } from './testing/measure-session.js';
import { testModel, windowPolicy } from './testing/session.js';
import { transcriptSchema } from './transcript/index.js';

const folder = new URL('../../../test/fixtures/transcripts/', import.meta.url);
const measured = (name: string, window: { [field: string]: number }): Measures =>
  measureSession(
    transcriptSchema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))),
    windowPolicy(window),
    testModel(),
  );

/** Sizes and costs in char units, reads at 0.1 and writes at 1.25. The whole matrix is `npm run test:matrix`. */
describe('recorded sessions', () => {
  it.each([
    'cc-cjk-emoji-errors',
    'cc-episodic-long',
    'cc-huge-output',
    'openhands-pony-103',
    'tau-airline-33',
    'sweagent-marshmallow',
  ])('cost no more than unmanaged under the defaults: %s', (name) => {
    const sums = measured(name, {});
    expect(sums.cost).toBeLessThanOrEqual(sums.costUnmanaged);
    expect(sums).toMatchObject({ lint: 0, overHardCap: 0 });
  });

  it('cost half of unmanaged or less where they are long', () => {
    const sums = measured('pi-large-session', {});
    expect(sums.cost / sums.costUnmanaged).toBeLessThanOrEqual(0.47);
    expect(sums).toMatchObject({ lint: 0, overHardCap: 0, calls: 453 });
  }, 60_000);

  it('send at most 17 % of the chars for at most 0.28 of the cost with a soft cap of 60,000', () => {
    const sums = measured('pi-large-session', { soft_cap_chars: 60_000, hard_cap_chars: 120_000 });
    expect(sums.chars / sums.charsUnmanaged).toBeLessThanOrEqual(0.17);
    expect(sums.cost / sums.costUnmanaged).toBeLessThanOrEqual(0.28);
    expect(sums).toMatchObject({ lint: 0, overHardCap: 0 });
  }, 60_000);
});
