import fc from 'fast-check';
import { API_FORMATS } from '../../neutral.js';
import { lawRuns } from '../../testing/law-runs.js';
import { randomStream } from '../../testing/random-stream.js';
import { wholeItems } from '../../testing/shown-items.js';
import { wireFaults } from '../../testing/wire-faults.js';
import { repairConversation, toWire } from '../index.js';
import { shape } from '../../testing/shape-items.js';

const runs = lawRuns(300);

describe('the wire form of any stored stream', () => {
  it('holds nothing that a provider is known to refuse', () => {
    fc.assert(
      fc.property(randomStream(), fc.constantFrom(...API_FORMATS), (events, apiFormat) => {
        const { messages } = shape(wholeItems(repairConversation(events).entries), {
          apiFormat,
          id: 'test:model',
          images: true,
          documents: true,
        });
        const body = toWire({ system: null, tools: [], messages: messages.map(({ message }) => message) }, apiFormat);
        expect(wireFaults(body, apiFormat)).toEqual([]);
      }),
      { numRuns: runs },
    );
  });

  it('is checked by something that can find faults', () => {
    const { messages } = shape(
      [{ role: 'user', entry: 1, content: [{ type: 'text', text: 'q' }], state: 'whole', pinned: false }],
      { apiFormat: 'openai_chat', id: 'm', images: true, documents: true },
    );
    const sound = messages.map(({ message }) => message);
    const call = { id: 'call_2_0', name: 'f', arguments: '{}' };
    const open = {
      system: null,
      tools: [],
      messages: [...sound, { role: 'assistant' as const, content: [], tool_calls: [call] }, ...sound],
    };
    expect(wireFaults(toWire(open, 'openai_chat'), 'openai_chat')).toEqual(['2: calls ["call_2_0"] have no result']);
    expect(wireFaults(toWire(open, 'anthropic'), 'anthropic')).toEqual(['2: results do not answer the calls before']);
    expect(wireFaults(toWire({ ...open, messages: [...sound, ...sound] }, 'strict_chat'), 'strict_chat')).toEqual([
      '1: user after user',
    ]);
  });
});
