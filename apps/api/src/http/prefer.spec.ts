import { preferredWaitS } from './prefer.js';

describe('Prefer: wait', () => {
  it.each([
    ['wait=30', 30],
    ['respond-async, wait=10', 10],
    ['WAIT="5"; x=y', 5],
    ['wait=9999', 60],
    ['return=minimal', null],
    ['wait=-1', null],
    [undefined, null],
  ])('of %p is %p seconds', (header, seconds) => {
    expect(preferredWaitS(header)).toBe(seconds);
  });
});
