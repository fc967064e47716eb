import { askedOnce, readinessOf } from './readiness.js';

describe('readiness', () => {
  it('does not wait for a server that is silent, and does not ask it again meanwhile', async () => {
    let asked = 0;
    const silent = askedOnce({ name: 'database', check: () => ((asked += 1), new Promise(() => undefined)) });
    const well = { name: 'queue', check: () => Promise.resolve({ ok: true, detail: 'there' }) };
    const expected = {
      ready: false,
      checks: { database: { ok: false, detail: 'no answer within 5 ms' }, queue: { ok: true, detail: 'there' } },
    };
    for (let time = 0; time < 3; time += 1) expect(await readinessOf([silent, well], 5)).toEqual(expected);
    expect(asked).toBe(1);
  });

  it('asks again once it has answered', async () => {
    const answers = ['starting', 'there'];
    const check = askedOnce({ name: 'x', check: async () => ({ ok: true, detail: answers.shift() ?? 'none' }) });
    const details = [await readinessOf([check]), await readinessOf([check])].map(({ checks }) => checks['x']?.detail);
    expect(details).toEqual(['starting', 'there']);
  });
});
