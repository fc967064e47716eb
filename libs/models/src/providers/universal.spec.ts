import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { universalMessages } from '../conversion/universal-messages.js';
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

describe('providers that the operator installs', () => {
  it('names the package that is missing and how to install it', async () => {
    const models = createModels({ connections: new Map([['g', settings]]) });
    const outcome = await models.call(modelCall('g:gemini-2.5-flash'));
    expect(outcome).toMatchObject({ kind: 'failure', class: 'invalid_request' });
    expect(outcome.kind === 'failure' && outcome.detail).toContain('npm install @langchain/google-genai');
  });

  it('get messages that every LangChain model takes, each converted once', () => {
    const request = {
      system: 'Be brief.',
      tools: [],
      messages: [
        {
          role: 'user' as const,
          content: [
            { type: 'text' as const, text: 'Hi' },
            { type: 'image' as const, media_type: 'image/png', data: 'AAAA' },
          ],
        },
        {
          role: 'assistant' as const,
          content: [
            { type: 'thinking' as const, text: 'hm' },
            { type: 'text' as const, text: 'Looking.' },
          ],
          tool_calls: [{ id: 'c1', name: 'find', arguments: '{"q":"x"}' }],
        },
        {
          role: 'tool' as const,
          tool_call_id: 'c1',
          name: 'find',
          status: 'error' as const,
          content: [{ type: 'text' as const, text: 'gone' }],
        },
      ],
    };
    const messages = universalMessages(request);
    expect(messages[0]).toBeInstanceOf(SystemMessage);
    expect(messages[1]).toBeInstanceOf(HumanMessage);
    expect(messages[1]?.content).toEqual([
      { type: 'text', text: 'Hi' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ]);
    expect(messages[2]).toMatchObject({
      content: 'Looking.',
      tool_calls: [{ id: 'c1', name: 'find', args: { q: 'x' } }],
    });
    expect(messages[3]).toBeInstanceOf(ToolMessage);
    expect(messages[3]).toMatchObject({ content: '[error] gone', status: 'error' });
    expect(universalMessages(request)[1]).toBe(messages[1]);
  });
});
