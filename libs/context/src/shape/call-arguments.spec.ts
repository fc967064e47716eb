import { fitArguments, parseArguments } from './call-arguments.js';

describe('arguments that are sent again', () => {
  const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

  it('are kept byte for byte when they are a JSON object', () => {
    for (const text of ['{"b":1, "a":2}', nested(499)]) expect(fitArguments(text)).toBe(text);
  });

  it('stand as text where they are nested so deep that nobody could write them down', () => {
    for (const levels of [500, 100_000]) {
      expect(JSON.parse(fitArguments(nested(levels)))).toEqual({ invalid_arguments: nested(levels) });
      expect(parseArguments(nested(levels))).toBeNull();
    }
  });
});
