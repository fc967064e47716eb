import { closestName } from './closest-name.js';

describe('the name that was probably meant', () => {
  it.each([
    ['maxtokens', ['max_tokens', 'tokens'], 'max_tokens'],
    ['agnet', ['agent', 'approval'], 'agent'],
    ['forEach', ['for_each'], 'for_each'],
    ['stepz', ['steps', 'inputs'], 'steps'],
    ['on_bussy', ['on_busy', 'output'], 'on_busy'],
    ['colour', ['context', 'tags'], null],
    ['x', [], null],
    ['answer', ['answer', 'answers'], 'answer'],
  ])('%s among %j is %s', (written, known, expected) => {
    expect(closestName(written, known)).toBe(expected);
  });
});
