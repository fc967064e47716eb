import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { thoughtSignaturePart, type NeutralRequest } from '#libs/context';
import { universalAnswer } from '../answer/universal-answer.js';
import { CALL_SIGNATURES, universalMessages } from '../conversion/universal-messages.js';
import { groupResults } from './group-results.js';
import { modelCall } from '../testing/model-call.js';
import { createModels } from '../create-models.js';

const settings = {
  name: 'g',
  provider: 'google' as const,
  baseUrl: null,
  apiKey: 'key-1',
  apiKeySource: 'GOOGLE_API_KEY',
  headers: {},
  allowPrivateAddresses: false,
  limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
};

const request: NeutralRequest = {
  system: 'Be brief.',
  tools: [],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'image', media_type: 'image/png', data: 'AAAA' },
        { type: 'document', media_type: 'application/pdf', data: 'AAAA', name: 'a.b_pdf' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'AAAA' },
        thoughtSignaturePart({ thought_signature: 's0', call: 0 }),
        { type: 'text', text: 'Looking.' },
      ],
      tool_calls: [{ id: 'c1', name: 'find', arguments: '{"q":"x"}' }],
    },
    { role: 'tool', tool_call_id: 'c1', name: 'find', status: 'denied', content: [{ type: 'text', text: 'gone' }] },
  ],
};

describe('providers that the operator installs', () => {
  it('names the package that is missing and how to install it', async () => {
    const models = createModels({ connections: new Map([['g', settings]]) });
    const outcome = await models.call(modelCall('g:gemini-2.5-flash'));
    expect(outcome).toMatchObject({ kind: 'failure', class: 'invalid_request' });
    expect(outcome.kind === 'failure' && outcome.detail).toContain('npm install @langchain/google-genai');
  });

  it.each(['gemini', 'strict_chat'] as const)(
    'get messages that LangChain takes, each converted once: %s',
    (format) => {
      const messages = universalMessages(request, format);
      expect(messages[0]).toBeInstanceOf(SystemMessage);
      expect(messages[1]).toBeInstanceOf(HumanMessage);
      expect(messages[1]?.content).toEqual([
        { type: 'text', text: 'Hi' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        {
          ...{ type: 'file', source_type: 'base64', mime_type: 'application/pdf', data: 'AAAA' },
          metadata: { name: 'a b pdf' },
        },
      ]);
      expect(messages[2]).toMatchObject({ tool_calls: [{ id: 'c1', name: 'find', args: { q: 'x' } }] });
      expect(messages[3]).toBeInstanceOf(ToolMessage);
      expect(messages[3]).toMatchObject({ content: format === 'gemini' ? 'gone' : '[denied] gone', status: 'error' });
      expect(universalMessages(request, format)[1]).toBe(messages[1]);
    },
  );

  it('get reasoning of their own form: signatures of calls and thoughts, signed and redacted blocks', () => {
    const [, , gemini] = universalMessages(request, 'gemini');
    expect(gemini?.content).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'Looking.' },
    ]);
    expect(gemini?.additional_kwargs).toEqual({ [CALL_SIGNATURES]: { c1: 's0' } });
    const [, , bedrock] = universalMessages(request, 'bedrock');
    expect(bedrock?.content).toEqual([
      { type: 'reasoning_content', reasoningText: { text: 'hm', signature: 's' } },
      { type: 'reasoning_content', redactedContent: 'AAAA' },
      { type: 'text', text: 'Looking.' },
    ]);
    expect(universalMessages(request, 'strict_chat')[2]?.content).toEqual([{ type: 'text', text: 'Looking.' }]);
  });

  it('get cache points on copies where Bedrock keeps prefixes', () => {
    const point = { type: 'cache_point', cachePoint: { type: 'default' } };
    const marks = [{ after: 'system' as const }, ...[0, 1, 2].map((index) => ({ after: 'message' as const, index }))];
    const marked = universalMessages(request, 'bedrock', marks);
    expect(marked.map(({ content }) => (Array.isArray(content) ? content.at(-1) : content))).toEqual([
      point,
      point,
      { type: 'text', text: 'Looking.' },
      point,
    ]);
    expect(universalMessages(request, 'bedrock')[1]?.content).not.toContainEqual(point);
  });

  it('answer with what their reasoning needs to go back', () => {
    const message = (content: AIMessage['content'], additional_kwargs = {}) =>
      universalAnswer(
        new AIMessage({
          content,
          additional_kwargs,
          tool_calls: [{ id: 'u1', name: 'find', args: { q: 1 } }],
          response_metadata: { stopReason: 'tool_use' },
          usage_metadata: {
            ...{ input_tokens: 9, output_tokens: 2, total_tokens: 11 },
            input_token_details: { cache_read: 4 },
          },
        }),
      );
    const google = message([{ type: 'thinking', thinking: 'hm', signature: 's' }], { [CALL_SIGNATURES]: { u1: 's0' } });
    expect(google.message).toEqual({
      content: [
        { type: 'thinking', text: 'hm', signature: 's' },
        thoughtSignaturePart({ thought_signature: 's0', call: 0 }),
      ],
      tool_calls: [{ id: 'u1', name: 'find', arguments: '{"q":1}' }],
    });
    expect(google).toMatchObject({ finishReason: 'tool_calls', usage: { input_tokens: 9, cached_tokens: 4 } });
    const aws = message([
      { type: 'reasoning', reasoning: 'hm', signature: 's' },
      { type: 'reasoning_content', redactedContent: 'AAAA' },
      { type: 'text', text: 'Looking.' },
    ]);
    expect(aws.message.content).toEqual([
      { type: 'thinking', text: 'hm', signature: 's' },
      { type: 'redacted_thinking', data: 'AAAA' },
      { type: 'text', text: 'Looking.' },
    ]);
  });

  it('send the results of one answer to Gemini as one turn', async () => {
    const response = (name: string) => ({ role: 'user', parts: [{ functionResponse: { name } }] });
    const said = { role: 'user', parts: [{ text: 'and?' }] };
    const sent: unknown[] = [];
    const client = { generateContent: (given: unknown) => Promise.resolve(sent.push(given)) };
    const model = { client };
    groupResults(model);
    await model.client.generateContent({ contents: [said, response('a'), response('b'), said, said], tools: [] });
    expect(sent).toEqual([
      {
        contents: [said, { role: 'user', parts: [...response('a').parts, ...response('b').parts] }, said, said],
        tools: [],
      },
    ]);
  });
});
