import { faultReporter } from './fault-reporter.js';

describe('the fault reporter', () => {
  it('logs the first of equal faults, then one a minute that counts the silent ones, and others at once', () => {
    const lines: unknown[] = [];
    let ms = 0;
    const report = faultReporter({ warn: (fields, what) => void lines.push([what, fields]) }, () => ms);
    const refused = new Error('connection refused');
    for (ms = 0; ms <= 60_000; ms += 1000) report('the queue failed', refused);
    report('the queue failed', new Error('reset'));
    expect(lines).toEqual([
      ['the queue failed', { err: refused }],
      ['the queue failed', { err: refused, repeated: 59 }],
      ['the queue failed', { err: new Error('reset') }],
    ]);
  });
});
