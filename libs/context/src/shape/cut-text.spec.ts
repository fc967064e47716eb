import fc from 'fast-check';
import { abbreviate, callArgument, countCodePoints, cutEnd, cutStart, isWellFormed } from './index.js';

const family = '👨‍👩‍👧‍👦';
const clusters = ['📥', family, 'é', '🇩🇪', '👍🏽', '한', '각', '\r\n', '❤️', 'नि'];

describe('cutting text', () => {
  it.each(clusters)('never cuts inside %j, before, at or behind the limit (row 100)', (cluster) => {
    for (let before = 0; before < 12; before += 1) {
      for (let limit = 1; limit <= 14; limit += 1) {
        const text = `${'x'.repeat(before)}${cluster}yyyyyyyyyyyy`;
        const start = cutStart(text, limit);
        expect(isWellFormed(start)).toBe(true);
        expect(countCodePoints(start)).toBeLessThanOrEqual(limit);
        if (before > 0 && start.length > before) expect(start.startsWith(`${'x'.repeat(before)}${cluster}`)).toBe(true);
        const end = cutEnd(`yyyyyyyyyyyy${cluster}${'x'.repeat(before)}`, limit);
        expect(isWellFormed(end)).toBe(true);
        expect(countCodePoints(end)).toBeLessThanOrEqual(limit);
        if (end.length > before) expect(end.endsWith(`${cluster}${'x'.repeat(before)}`)).toBe(true);
      }
    }
  });

  it('cuts a single grapheme that is longer than the limit at a code point', () => {
    expect(countCodePoints(cutStart(family, 3))).toBe(3);
    expect(isWellFormed(cutStart(`e${'\u0301'.repeat(50)}`, 10))).toBe(true);
  });

  it('keeps two flags in a row apart', () => {
    expect(cutStart('🇩🇪🇫🇷', 3)).toBe('🇩🇪');
    expect(cutStart('🇩🇪🇫🇷', 2)).toBe('🇩🇪');
  });

  it('keeps within its limit, well-formed, and a prefix or suffix', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 0, max: 45 }), (text, limit) => {
        const start = cutStart(text, limit);
        const end = cutEnd(text, limit);
        expect(text.startsWith(start)).toBe(true);
        expect(text.endsWith(end)).toBe(true);
        expect(
          Math.max(countCodePoints(start), countCodePoints(end), countCodePoints(abbreviate(text, limit))),
        ).toBeLessThanOrEqual(limit);
        expect(isWellFormed(start + end)).toBe(true);
      }),
    );
  });

  it('counts code points, lone surrogates too', () => {
    expect(countCodePoints('a📥\ud83d')).toBe(3);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => countCodePoints(text) === [...text].length));
  });
});

describe('callArgument', () => {
  it('takes the declared argument, else the first string', () => {
    expect(callArgument('{"n":1,"q":"x","path":"src/a"}', 'path')).toBe('src/a');
    expect(callArgument('{"n":1,"q":"x","path":"src/a"}', null)).toBe('x');
    expect(callArgument('{"n":1}', 'n')).toBe('1');
    expect(callArgument('{"n":1}', null)).toBeNull();
    expect(callArgument('{"n":', null)).toBeNull();
  });

  it('keeps at most 80 chars, cut at a grapheme (row 100)', () => {
    expect(callArgument(JSON.stringify({ q: `${'x'.repeat(79)}${family}` }), null)).toBe('x'.repeat(79));
  });
});
