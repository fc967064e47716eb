import { API_FORMATS, type ApiFormat } from '../neutral.js';
import { EventLog } from '../testing/event-log.js';
import { png } from '../testing/images.js';
import { wholeItems } from '../testing/shown-items.js';
import { lint, mayThink, repairConversation } from './index.js';
import { shape } from '../testing/shape-items.js';

const shaped = (log: EventLog, apiFormat: ApiFormat, model = { id: 'test:model', images: true, documents: true }) =>
  shape(wholeItems(repairConversation(log.events).entries), { ...model, apiFormat });
const messages = (log: EventLog, apiFormat: ApiFormat) => shaped(log, apiFormat).messages.map(({ message }) => message);
const roles = (log: EventLog, apiFormat: ApiFormat): string =>
  messages(log, apiFormat)
    .map(({ role }) => role[0])
    .join('');
const thinking = { type: 'thinking', text: 'let me see', signature: 'sig' } as const;
const image = { type: 'image', media_type: 'image/png', data: 'AAAA', name: 'a.png' } as const;

describe('shape', () => {
  it('begins with a user message whatever the stream begins with (rows 102, 105)', () => {
    expect(roles(new EventLog().answer('', [{}]).result(0, 'x'), 'anthropic')).toBe('uat');
    expect(roles(new EventLog(), 'anthropic')).toBe('u');
  });

  it('ends with a user message or a result (row 106)', () => {
    expect(roles(new EventLog().user('q').answer('a'), 'openai_chat')).toBe('uau');
    expect(roles(new EventLog().user('q').answer('', [{}]), 'openai_chat')).toBe('uat');
  });

  it('merges neighbours where roles must alternate, and names all their entries (row 108)', () => {
    const log = new EventLog().user('a').user('b').answer('c').answer('d').user('e');
    expect(roles(log, 'openai_chat')).toBe('uuaau');
    expect(
      shaped(log, 'strict_chat').messages.map(({ message, entries }) => [message.role, entries, message.content]),
    ).toEqual([
      [
        'user',
        [1, 2],
        [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      ],
      [
        'assistant',
        [3, 4],
        [
          { type: 'text', text: 'c' },
          { type: 'text', text: 'd' },
        ],
      ],
      ['user', [5], [{ type: 'text', text: 'e' }]],
    ]);
  });

  it('puts an answer between a result and the next user message where a server insists on one', () => {
    const log = new EventLog().user('a').answer('', [{}]).interrupted().user('b');
    expect(roles(log, 'strict_chat')).toBe('uatau');
    expect(shaped(log, 'strict_chat').messages.map(({ synthetic }) => synthetic)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(roles(log, 'openai_chat')).toBe('uatu');
  });

  it('gives every format ids in its charset and length, the same each time', () => {
    const log = new EventLog().user('q').answer('', [{ id: 'x:y/z' }, { id: '' }, { id: 'a'.repeat(70) }]);
    expect(
      messages(log, 'openai_chat').flatMap((message) =>
        message.role === 'assistant' ? message.tool_calls.map(({ id }) => id) : [],
      ),
    ).toEqual(['call_2_0', 'call_2_1', 'call_2_2']);
    for (const id of messages(log, 'strict_chat').flatMap((message) =>
      message.role === 'tool' ? [message.tool_call_id] : [],
    ))
      expect(id).toMatch(/^[a-z0-9]{9}$/u);
  });

  it('makes an object of arguments that are none, and keeps the bytes of those that are', () => {
    const log = new EventLog()
      .user('q')
      .answer('', [
        { arguments: '{ "b":1, "a":2 }' },
        { arguments: '' },
        { arguments: '[1]' },
        { arguments: '{"q":' },
        { arguments: '{"a":"\\ud83d"}' },
      ]);
    expect(
      messages(log, 'openai_chat').flatMap((message) =>
        message.role === 'assistant' ? message.tool_calls.map((call) => call.arguments) : [],
      ),
    ).toEqual(['{ "b":1, "a":2 }', '{}', '{"value":[1]}', '{"invalid_arguments":"{\\"q\\":"}', '{"a":"\ufffd"}']);
  });

  it('replaces lone surrogates and NUL, keeping the length (row 101)', () => {
    const log = new EventLog().user('a\0b').answer('', [{}]).result(0, '\ud83d');
    expect(messages(log, 'openai_chat').map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'a\ufffdb' }],
      [],
      [{ type: 'text', text: '\ufffd' }],
    ]);
    expect(
      shaped(log, 'openai_chat')
        .repairs.filter(({ rule }) => rule === 'malformed_text')
        .map(({ entries }) => entries),
    ).toEqual([[1], [3]]);
  });

  it('drops blank text and never sends an empty message or result', () => {
    const log = new EventLog()
      .user([
        { type: 'text', text: ' ' },
        { type: 'text', text: 'q' },
      ])
      .answer(
        [
          { type: 'text', text: '\n\n' },
          { type: 'text', text: 'a' },
        ],
        [{}],
      )
      .result(0, '')
      .user('');
    expect(messages(log, 'anthropic').map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'q' }],
      [{ type: 'text', text: 'a' }],
      [{ type: 'text', text: '[no output]' }],
      [{ type: 'text', text: '[empty message]' }],
    ]);
  });

  it('describes images and documents that a format, a place or a model does not take', () => {
    const log = new EventLog()
      .user([image])
      .answer('', [{}])
      .result(0, [image, { type: 'document', media_type: 'application/pdf', data: 'AAAA', name: 'a.pdf' }]);
    const content = (format: ApiFormat, images = true) =>
      shaped(log, format, { id: 'm', images, documents: true }).messages.map(({ message }) => message.content);
    expect(content('anthropic')[0]).toEqual([image]);
    expect(content('openai_chat')[0]).toEqual([image]);
    expect(content('openai_chat', false)[0]).toEqual([{ type: 'text', text: '[image: a.png, image/png]' }]);
    expect(content('strict_chat')[0]).toEqual([{ type: 'text', text: '[image: a.png, image/png]' }]);
  });

  it("sends a document that came in a provider's own form as a document", () => {
    const log = new EventLog().user([
      {
        type: 'other',
        raw: { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }, title: 'T' },
      },
      { type: 'other', raw: { type: 'widget' } },
    ]);
    expect(messages(log, 'anthropic')[0]?.content).toEqual([
      { type: 'document', media_type: 'application/pdf', data: 'AAAA', name: 'T' },
      { type: 'text', text: '{"type":"widget"}' },
    ]);
  });

  it('describes the oldest images when a request holds too many or too much of them, in steps (row 92)', () => {
    const withImages = (count: number, size = 32) => {
      const log = new EventLog();
      for (let n = 0; n < count; n += 1) log.user([{ ...image, data: png(100, 80).padEnd(size, 'A') }]);
      return messages(log, 'anthropic').map(({ content }) => content[0]?.type);
    };
    const described = (types: (string | undefined)[]): number => types.filter((type) => type === 'text').length;
    expect([100, 101, 125, 126].map((count) => described(withImages(count)))).toEqual([0, 25, 25, 50]);
    expect(withImages(101).slice(0, 26).at(-1)).toBe('image');
    expect(described(withImages(9, 4_000_000))).toBe(3);
    expect(withImages(1, 6_000_000)).toEqual(['text']);
  });

  it('splits more calls than a message may hold, each in front of its results', () => {
    const log = new EventLog().user('q').answer(
      'all',
      Array.from({ length: 300 }, () => ({})),
    );
    for (let ordinal = 0; ordinal < 300; ordinal += 1) log.result(ordinal, 'r');
    const sent = messages(log, 'openai_chat');
    expect(sent.flatMap((message) => (message.role === 'assistant' ? [message.tool_calls.length] : []))).toEqual([
      128, 128, 44,
    ]);
    expect(lint({ system: null, tools: [], messages: sent }, 'openai_chat')).toEqual([]);
  });

  it('keeps reasoning as it came for its own model, and leaves it out for another (rows 112, 116)', () => {
    const log = new EventLog()
      .user('q')
      .answer([thinking, { type: 'text', text: 'a' }], [{}], { model: 'test:model' })
      .result(0, 'x')
      .answer(
        [
          { ...thinking, text: 'other' },
          { type: 'text', text: 'b' },
        ],
        [{}],
        { model: 'test:other' },
      )
      .result(0, 'y');
    expect(messages(log, 'anthropic_thinking')[1]?.content).toEqual([thinking, { type: 'text', text: 'a' }]);
    expect(messages(log, 'anthropic_thinking')[3]?.content).toEqual([{ type: 'text', text: 'b' }]);
    expect(messages(log, 'anthropic')[1]?.content).toEqual([{ type: 'text', text: 'a' }]);
  });

  it('puts reasoning first where blank or other text stood before it', () => {
    const log = new EventLog()
      .user('q')
      .answer([{ type: 'text', text: '\n\n' }, thinking, { type: 'text', text: 'a' }])
      .user('r')
      .answer([{ type: 'text', text: 'b' }, thinking], [{}])
      .result(0, 'x');
    expect(messages(log, 'anthropic_thinking')[1]?.content).toEqual([thinking, { type: 'text', text: 'a' }]);
    expect(messages(log, 'anthropic_thinking')[3]?.content).toEqual([thinking, { type: 'text', text: 'b' }]);
    expect(shaped(log, 'anthropic_thinking').repairs.map(({ rule, entries }) => [rule, entries])).toEqual([
      ['blank_text', [2]],
      ['reasoning_first', [4]],
    ]);
  });

  it('leaves out unsigned and empty reasoning', () => {
    const log = new EventLog()
      .user('q')
      .answer([
        { type: 'thinking', text: 'x' },
        { type: 'thinking', text: '', signature: 's' },
        { type: 'opaque', provider: 'openai', raw: {} },
        { type: 'text', text: 'a' },
      ])
      .user('r');
    expect(messages(log, 'anthropic_thinking')[1]?.content).toEqual([{ type: 'text', text: 'a' }]);
  });

  it('keeps the task and the last user message byte for byte', () => {
    const text = '  spaces\r\n$& `x` {y} 👨‍👩‍👧\t ';
    for (const format of API_FORMATS) {
      expect(messages(new EventLog().user('a').user(text, 'task'), format).at(-1)?.content.at(-1)).toEqual({
        type: 'text',
        text,
      });
    }
  });
});

describe('mayThink', () => {
  it('says no in a tool loop that did not begin with thinking (row 110)', () => {
    const begun = new EventLog().user('q').answer([thinking], [{}]).result(0, 'x').answer('', [{}]).result(0, 'y');
    const not = new EventLog().user('q').answer('', [{}]).result(0, 'x').answer([thinking], [{}]).result(0, 'y');
    expect(mayThink(messages(begun, 'anthropic_thinking'))).toBe(true);
    expect(mayThink(messages(not, 'anthropic_thinking'))).toBe(false);
    expect(mayThink(messages(not.user('next'), 'anthropic_thinking'))).toBe(true);
  });
});
