import type { AssistantPart } from '#libs/domain';
import type { ApiFormat } from '../neutral.js';
import { EventLog } from '../testing/event-log.js';
import { png } from '../testing/images.js';
import { wholeItems } from '../testing/shown-items.js';
import { lint, repairConversation } from './index.js';
import { shape } from '../testing/shape-items.js';
import { reasoningItemPart, thoughtSignaturePart } from './reasoning-forms.js';

const model = { id: 'test:model', images: true, documents: true };
const shaped = (log: EventLog, apiFormat: ApiFormat) => {
  const made = shape(wholeItems(repairConversation(log.events).entries), { ...model, apiFormat });
  const request = { system: null, tools: [], messages: made.messages.map(({ message }) => message) };
  expect(lint(request, apiFormat, { model })).toEqual([]);
  return { ...made, messages: request.messages, built: made.messages };
};
const image = (name: string, width = 90) => ({
  type: 'image' as const,
  media_type: 'image/png',
  data: png(width, 80),
  name,
});
const pdf = (name: string) => ({ type: 'document' as const, media_type: 'application/pdf', data: 'AAAA', name });
const namesOf = (log: EventLog, format: ApiFormat): (string | undefined)[] =>
  shaped(log, format).messages.flatMap((message) =>
    [...message.content].flatMap((part) => (part.type === 'image' || part.type === 'document' ? [part.name] : [])),
  );
const gallery = (widths: readonly number[]): EventLog => {
  const log = new EventLog();
  widths.forEach((width, n) => log.user([image(`${n}.png`, width)]));
  return log;
};
const alike = (count: number, width: number): number[] => Array.from({ length: count }, () => width);

describe('images and documents', () => {
  const log = new EventLog()
    .user('look')
    .answer('', [{ name: 'shot' }, { name: 'shot' }])
    .result(0, [{ type: 'text', text: 'one' }, image('a.png'), pdf('a.pdf')])
    .result(1, 'two');

  it.each(['openai_chat', 'gemini'] as const)(
    'of results move behind all results of their answer where only user messages take them (%s)',
    (format) => {
      const { messages, built, repairs } = shaped(log, format);
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
      expect(messages[2]?.content).toEqual([
        { type: 'text', text: 'one' },
        { type: 'text', text: '[image: a.png, image/png] (in the message below)' },
        { type: 'text', text: '[document: a.pdf, application/pdf] (in the message below)' },
      ]);
      expect(messages[4]?.content).toEqual([{ type: 'text', text: '[from shot, #3]' }, image('a.png'), pdf('a.pdf')]);
      expect(built[4]).toMatchObject({ entries: [3], state: 'whole', synthetic: false });
      expect(repairs).toContainEqual(expect.objectContaining({ rule: 'part_moved', entries: [3] }));
    },
  );

  it.each(['openai_responses', 'anthropic', 'bedrock'] as const)(
    'stay in their result where it takes them (%s)',
    (format) => {
      const { messages } = shaped(log, format);
      expect(messages[2]?.content).toEqual([{ type: 'text', text: 'one' }, image('a.png'), pdf('a.pdf')]);
    },
  );

  it('over 20 go, oldest first, until none of the rest is large or 20 are left, and are named', () => {
    const sent = (widths: readonly number[]): number => namesOf(gallery(widths), 'anthropic').length;
    expect(sent(alike(30, 2_000))).toBe(30);
    expect(sent([...alike(3, 2_001), ...alike(22, 90)])).toBe(22);
    expect(sent([...alike(22, 90), ...alike(3, 2_001)])).toBe(20);
    expect(sent(alike(20, 8_000))).toBe(20);
    const { messages } = shaped(gallery(alike(21, 3_000)), 'anthropic');
    expect(messages[0]?.content).toEqual([{ type: 'text', text: '[image: 0.png, image/png]' }]);
    expect(namesOf(gallery(alike(21, 3_000)), 'anthropic').at(-1)).toBe('20.png');
  });

  it('larger than 8,000 px are described', () => {
    expect(namesOf(gallery([8_001, 90]), 'anthropic')).toEqual(['1.png']);
    expect(namesOf(gallery([8_001, 90]), 'openai_chat')).toEqual(['0.png', '1.png']);
  });

  it('are counted apart by Bedrock, which wants a text beside each document', () => {
    const docs = new EventLog();
    for (let n = 0; n < 7; n += 1) docs.user([pdf(`${n}.pdf`)]).answer('ok');
    for (let n = 0; n < 22; n += 1) docs.user([image(`${n}.png`)]).answer('ok');
    const names = namesOf(docs.user('go on'), 'bedrock');
    expect(names.filter((name) => name?.endsWith('.pdf'))).toEqual(['2.pdf', '3.pdf', '4.pdf', '5.pdf', '6.pdf']);
    expect(names.filter((name) => name?.endsWith('.png'))).toHaveLength(17);
    expect(
      shaped(docs, 'bedrock').messages.find((message) => message.content[1]?.type === 'document')?.content[0],
    ).toEqual({
      type: 'text',
      text: '[document: 2.pdf, application/pdf]',
    });
  });

  it('at an address are described where the provider fetches none', () => {
    const remote = new EventLog().user([{ type: 'image', url: 'https://example.com/a.png' }]);
    expect(shaped(remote, 'openai_responses').messages[0]?.content[0]?.type).toBe('image');
    expect(shaped(remote, 'gemini').messages[0]?.content).toEqual([
      { type: 'text', text: '[image: https://example.com/a.png]' },
    ]);
  });
});

describe('roles', () => {
  const log = new EventLog()
    .user('a')
    .user('b')
    .answer('', [{}])
    .result(0, 'x')
    .user('c')
    .answer('d')
    .answer('e')
    .user('f');
  const roles = (format: ApiFormat): string =>
    shaped(log, format)
      .messages.map(({ role }) => role[0])
      .join('');

  it('are merged for Gemini (row 108), alternate for Bedrock, are as they are for Responses', () => {
    expect(roles('openai_responses')).toBe('uuatuaau');
    expect(roles('gemini')).toBe('uatuau');
    expect(roles('bedrock')).toBe('uatauau');
  });
});

describe('reasoning', () => {
  const item = (id: string, calls_before = 0): AssistantPart =>
    reasoningItemPart({ item: { type: 'reasoning', id, summary: [], encrypted_content: 'secret' }, calls_before });
  const said: AssistantPart = { type: 'text', text: 'a' };
  const content = (parts: AssistantPart[], format: ApiFormat, calls = 1, from = 'test:model') => {
    const log = new EventLog().user('q').answer(
      parts,
      Array.from({ length: calls }, () => ({})),
      { model: from },
    );
    for (let ordinal = 0; ordinal < calls; ordinal += 1) log.result(ordinal, 'x');
    return shaped(log, format).messages[1]?.content;
  };

  it('of Responses goes back in its place, encrypted, to its own model', () => {
    const parts = [item('rs_1'), said, item('rs_2'), item('rs_3', 1)];
    expect(content(parts, 'openai_responses', 2)).toEqual(parts);
    expect(content(parts, 'openai_responses', 2, 'test:other')).toEqual([said]);
    expect(content(parts, 'anthropic_thinking', 2)).toEqual([said]);
  });

  it('of Responses is left out with what it needs: its secret, its call, the item behind it (row 113)', () => {
    const bare = reasoningItemPart({ item: { type: 'reasoning', id: 'rs_1', summary: [] }, calls_before: 0 });
    expect(content([bare, said], 'openai_responses')).toEqual([said]);
    expect(content([said, item('rs_2', 1)], 'openai_responses', 1)).toEqual([said]);
    expect(content([item('rs_1'), said, item('rs_2')], 'openai_responses', 0)).toEqual([said]);
  });

  it('of Gemini goes back as signatures of calls and thoughts, and not for calls that are not there', () => {
    const parts: AssistantPart[] = [
      { type: 'thinking', text: 'hm', signature: 's' },
      said,
      thoughtSignaturePart({ thought_signature: 's0', call: 0 }),
      thoughtSignaturePart({ thought_signature: 's5', call: 5 }),
      { type: 'thinking', text: 'unsigned' },
    ];
    expect(content(parts, 'gemini')).toEqual(parts.slice(0, 3));
    expect(content(parts, 'gemini', 1, 'test:other')).toEqual([said]);
  });

  it('of Bedrock goes back as signed blocks, first, also in answers that were merged', () => {
    const thinking: AssistantPart = { type: 'thinking', text: 'hm', signature: 's' };
    const log = new EventLog().user('q').answer([said]).answer([thinking, said], [{}]).result(0, 'x');
    expect(shaped(log, 'bedrock').messages[1]?.content).toEqual([thinking, said, said]);
  });
});

describe('names of tools', () => {
  it('begin as Gemini wants them', () => {
    const log = new EventLog()
      .user('q')
      .answer('', [{ name: '1st' }, { name: 'ok' }, { name: '-' }])
      .result(0, 'x');
    const [, answer] = shaped(log, 'gemini').messages;
    expect(answer?.role === 'assistant' ? answer.tool_calls.map(({ name }) => name) : []).toEqual([
      '_1st',
      'ok',
      'unknown_tool',
    ]);
  });
});
