import type { NeutralMessage, NeutralRequest } from '../../neutral.js';
import { reasoningItemPart, thoughtSignaturePart } from '../reasoning-forms.js';
import { documentName } from './bedrock.js';
import { toWire } from './index.js';

const image = { type: 'image', media_type: 'image/png', data: 'AAAA' } as const;
const pdf = { type: 'document', media_type: 'application/pdf', data: 'AAAA', name: 'a/b.pdf' } as const;
const text = (value: string) => ({ type: 'text' as const, text: value });
const result = (ordinal: number, status: 'ok' | 'error', value: string): NeutralMessage => ({
  role: 'tool',
  tool_call_id: `call_2_${ordinal}`,
  name: 'search',
  status,
  content: [text(value)],
});
const request = (content: Extract<NeutralMessage, { role: 'assistant' }>['content']): NeutralRequest => ({
  system: 'You look things up.',
  tools: [{ name: 'search', description: 'Finds', parameters: { properties: { q: { type: 'string' } } } }],
  messages: [
    { role: 'user', content: [text('see'), image, pdf] },
    {
      role: 'assistant',
      content,
      tool_calls: [
        { id: 'call_2_0', name: 'search', arguments: '{"q": "a"}' },
        { id: 'call_2_1', name: 'search', arguments: '{"q":"b"}' },
      ],
    },
    result(0, 'ok', 'x'),
    result(1, 'error', 'y'),
    { role: 'user', content: [text('and?')] },
  ],
});

describe('toWire', () => {
  it('gives Responses a flat list of items, reasoning in front of what it led to', () => {
    const item = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: 's' });
    const { system, messages, tools } = toWire(
      request([
        reasoningItemPart({ item: item('rs_1'), calls_before: 0 }),
        text('looking'),
        reasoningItemPart({ item: item('rs_2'), calls_before: 1 }),
      ]),
      'openai_responses',
    );
    expect(system).toBe('You look things up.');
    expect(tools).toEqual([
      {
        type: 'function',
        name: 'search',
        description: 'Finds',
        parameters: { properties: { q: { type: 'string' } } },
        strict: false,
      },
    ]);
    expect(messages).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
          { type: 'input_file', filename: 'a/b.pdf', file_data: 'data:application/pdf;base64,AAAA' },
        ],
      },
      item('rs_1'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'looking', annotations: [] }] },
      { type: 'function_call', call_id: 'call_2_0', name: 'search', arguments: '{"q": "a"}' },
      item('rs_2'),
      { type: 'function_call', call_id: 'call_2_1', name: 'search', arguments: '{"q":"b"}' },
      { type: 'function_call_output', call_id: 'call_2_0', output: 'x' },
      { type: 'function_call_output', call_id: 'call_2_1', output: 'y' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'and?' }] },
    ]);
  });

  it('gives Responses a list where a result holds more than text', () => {
    const { messages } = toWire(
      {
        system: null,
        tools: [],
        messages: [{ role: 'tool', tool_call_id: 'c', name: 'f', status: 'ok', content: [text('x'), image] }],
      },
      'openai_responses',
    );
    expect(messages[0]?.['output']).toEqual([
      { type: 'input_text', text: 'x' },
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
    ]);
  });

  it('gives Gemini signatures on their parts and all results in one turn', () => {
    const { messages, tools } = toWire(
      request([
        { type: 'thinking', text: 'hm', signature: 's' },
        text('looking'),
        thoughtSignaturePart({ thought_signature: 's0', call: 0 }),
        thoughtSignaturePart({ thought_signature: 'st', call: null }),
      ]),
      'gemini',
    );
    expect(tools).toEqual([
      {
        functionDeclarations: [
          { name: 'search', description: 'Finds', parametersJsonSchema: { properties: { q: { type: 'string' } } } },
        ],
      },
    ]);
    expect(messages).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'see' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true, thoughtSignature: 's' },
          { text: 'looking', thoughtSignature: 'st' },
          { functionCall: { name: 'search', args: { q: 'a' } }, thoughtSignature: 's0' },
          { functionCall: { name: 'search', args: { q: 'b' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'search', response: { result: 'x' } } },
          { functionResponse: { name: 'search', response: { error: { details: 'y' } } } },
        ],
      },
      { role: 'user', parts: [{ text: 'and?' }] },
    ]);
  });

  it('gives Bedrock blocks, with signed and redacted reasoning first', () => {
    const { messages, tools } = toWire(
      request([
        { type: 'thinking', text: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'd' },
        text('looking'),
      ]),
      'bedrock',
    );
    expect(tools).toEqual([
      {
        toolSpec: {
          name: 'search',
          description: 'Finds',
          inputSchema: { json: { type: 'object', properties: { q: { type: 'string' } } } },
        },
      },
    ]);
    expect(messages[0]).toEqual({
      role: 'user',
      content: [
        { text: 'see' },
        { image: { format: 'png', source: { bytes: 'AAAA' } } },
        { document: { format: 'pdf', name: 'a b pdf 1', source: { bytes: 'AAAA' } } },
      ],
    });
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
        { reasoningContent: { redactedContent: 'd' } },
        { text: 'looking' },
        { toolUse: { toolUseId: 'call_2_0', name: 'search', input: { q: 'a' } } },
        { toolUse: { toolUseId: 'call_2_1', name: 'search', input: { q: 'b' } } },
      ],
    });
    expect(messages[2]?.['content']).toEqual([
      { toolResult: { toolUseId: 'call_2_0', content: [{ text: 'x' }] } },
      { toolResult: { toolUseId: 'call_2_1', content: [{ text: 'y' }], status: 'error' } },
      { text: 'and?' },
    ]);
  });

  it('declares to Bedrock what the history called, also when the agent has no tools left', () => {
    const { tools } = toWire({ ...request([]), tools: [] }, 'bedrock');
    expect(tools).toEqual([
      {
        toolSpec: { name: 'search', description: 'Not available any more.', inputSchema: { json: { type: 'object' } } },
      },
    ]);
    expect(toWire({ system: null, tools: [], messages: [] }, 'bedrock').tools).toEqual([]);
  });

  it('names documents for Bedrock as it takes them, each once', () => {
    expect([documentName('Über*uns  (1).pdf', 1), documentName(undefined, 2), documentName('日本', 3)]).toEqual([
      'ber uns (1) pdf 1',
      'document 2',
      'document 3',
    ]);
  });
});
