import { withoutFence } from './without-fence.js';

describe('a fence around an answer', () => {
  it.each([
    ['```json\n{"a": 1}\n```', '{"a": 1}'],
    ['\n ```\n[1]```\n', '[1]'],
    ['```json  \n\n{"a": "```"}\n\n```', '{"a": "```"}'],
  ])('is taken off: %j', (text, expected) => {
    expect(withoutFence(text)).toBe(expected);
  });

  it.each(['{"a": 1}', 'Here: ```json\n{}\n```', '```{}```', '```python\n{}\n```', '```', '`````', ''])(
    'is left where it is none: %j',
    (text) => expect(withoutFence(text)).toBe(text),
  );

  // The pattern that stood here took minutes.
  it('is looked for once, whatever the model wrote', () => {
    const lost = `\`\`\`json${'\n'.repeat(500_000)}{}`;
    expect(withoutFence(lost)).toBe(lost);
  });
});
