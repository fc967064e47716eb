import { checkSummaryText, gateSummary } from './gate.js';

const said = (text: string, calls: { id: string; name: string; arguments: string }[] = []) => ({
  content: [{ type: 'text' as const, text }],
  tool_calls: calls,
});

describe('checkSummaryText', () => {
  it.each(['', ' \n', '<think>only thoughts</think>', '<thinking>never ended'])(
    'refuses %j as empty (rows 71, Z5)',
    (text) => {
      expect(checkSummaryText(said(text), 'stop')).toMatchObject({ kind: 'refused', reason: 'empty' });
    },
  );

  it('refuses an answer that holds reasoning blocks only (row 71)', () => {
    expect(
      checkSummaryText({ content: [{ type: 'thinking', text: 'x', signature: 's' }], tool_calls: [] }, 'stop'),
    ).toMatchObject({ reason: 'empty' });
  });

  it('refuses an answer that was cut by length', () => {
    expect(checkSummaryText(said('The goal is'), 'length')).toMatchObject({ reason: 'cut_by_length' });
  });

  it.each([
    '<tool_call>{"name":"x"}</tool_call>',
    'I will look.\n<invoke name="read">',
    '[TOOL_CALLS] [{"name":"x"}]',
    '{"name": "search", "arguments": {"q": 1}}',
    '<|python_tag|>x()',
  ])('refuses tool-call syntax: %j (row 72)', (text) => {
    expect(checkSummaryText(said(text), 'stop')).toMatchObject({ reason: 'tool_calls' });
  });

  it('refuses real calls (row 72)', () => {
    expect(checkSummaryText(said('text', [{ id: '1', name: 'x', arguments: '{}' }]), 'tool_calls')).toMatchObject({
      reason: 'tool_calls',
    });
  });

  it('takes a text without its thoughts', () => {
    expect(checkSummaryText(said('<think>hm</think>\nThe goal is met.'), 'stop')).toEqual({
      kind: 'text',
      text: 'The goal is met.',
    });
  });
});

describe('gateSummary', () => {
  it('accepts only what is shorter than its range and within its bound (rows 42, 77)', () => {
    expect(gateSummary('abc', { maxChars: 10, charsBefore: 100 })).toEqual({ kind: 'accepted', charsAfter: 3 });
    expect(gateSummary('abc', { maxChars: 10, charsBefore: 3 })).toEqual({ kind: 'not_smaller', charsAfter: 3 });
    expect(gateSummary('abc', { maxChars: 2, charsBefore: 100 })).toEqual({
      kind: 'too_long',
      charsAfter: 3,
      maxChars: 2,
    });
  });

  it('counts code points, not bytes or units (row 90)', () => {
    expect(gateSummary('📥', { maxChars: 1, charsBefore: 2 })).toEqual({ kind: 'accepted', charsAfter: 1 });
  });
});
