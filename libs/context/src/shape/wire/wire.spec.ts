import type { NeutralRequest } from '../../neutral.js';
import { toWire } from './index.js';

const request: NeutralRequest = {
  system: 'You look things up.',
  tools: [{ name: 'search', description: 'Finds', parameters: { properties: { q: { type: 'string' } } } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see' },
        { type: 'image', media_type: 'image/png', data: 'AAAA' },
      ],
    },
    {
      role: 'assistant',
      content: [],
      tool_calls: [
        { id: 'call_2_0', name: 'search', arguments: '{"q": "a"}' },
        { id: 'call_2_1', name: 'search', arguments: '{"q":"b"}' },
      ],
    },
    { role: 'tool', tool_call_id: 'call_2_0', name: 'search', status: 'ok', content: [{ type: 'text', text: 'x' }] },
    { role: 'tool', tool_call_id: 'call_2_1', name: 'search', status: 'error', content: [{ type: 'text', text: 'y' }] },
    { role: 'user', content: [{ type: 'text', text: 'and?' }] },
  ],
};

describe('toWire', () => {
  it('gives Chat Completions null content for an answer that only calls (row 27)', () => {
    expect(toWire(request, 'openai_chat')).toEqual({
      system: 'You look things up.',
      tools: [
        {
          type: 'function',
          function: { name: 'search', description: 'Finds', parameters: { properties: { q: { type: 'string' } } } },
        },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_2_0', type: 'function', function: { name: 'search', arguments: '{"q": "a"}' } },
            { id: 'call_2_1', type: 'function', function: { name: 'search', arguments: '{"q":"b"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_2_0', content: 'x' },
        { role: 'tool', tool_call_id: 'call_2_1', content: 'y' },
        { role: 'user', content: 'and?' },
      ],
    });
  });

  it('groups parallel results and what the user says next in one Anthropic message (row 13)', () => {
    const { messages, tools } = toWire(request, 'anthropic');
    expect(tools).toEqual([
      { name: 'search', description: 'Finds', input_schema: { type: 'object', properties: { q: { type: 'string' } } } },
    ]);
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'call_2_0', name: 'search', input: { q: 'a' } },
          { type: 'tool_use', id: 'call_2_1', name: 'search', input: { q: 'b' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_2_0', content: [{ type: 'text', text: 'x' }] },
          { type: 'tool_result', tool_use_id: 'call_2_1', content: [{ type: 'text', text: 'y' }], is_error: true },
          { type: 'text', text: 'and?' },
        ],
      },
    ]);
  });

  it('sends thinking first, as it came', () => {
    const { messages } = toWire(
      {
        ...request,
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'thinking', text: 'hm', signature: 's' },
              { type: 'redacted_thinking', data: 'd' },
              { type: 'text', text: 'a' },
            ],
            tool_calls: [],
          },
        ],
      },
      'anthropic_thinking',
    );
    expect(messages[0]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'd' },
        { type: 'text', text: 'a' },
      ],
    });
  });

  it('gives strict servers strings only', () => {
    const { messages } = toWire(
      {
        ...request,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'text', text: 'b' },
            ],
          },
          ...request.messages.slice(1, 2),
        ],
      },
      'strict_chat',
    );
    expect(messages.map((message) => message.content)).toEqual(['a\n\nb', '']);
  });
});
