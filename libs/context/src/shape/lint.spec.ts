import type { ApiFormat, NeutralRequest } from '../neutral.js';
import { answer, call, image, model, request, result, thinking, tool, turn, user } from '../testing/requests.js';
import { lint, LINT_RULES, type LintOptions, type LintRule } from './index.js';

type Broken = { rule: LintRule; what: string; format?: ApiFormat; request: NeutralRequest; options?: LintOptions };
const broken: Broken[] = [
  {
    rule: 'system_role',
    what: 'a system message among the others (row Z8)',
    request: request([user(), { role: 'system', content: [{ type: 'text', text: 'x' }] } as never, user()]),
  },
  { rule: 'first_role', what: 'an answer first', request: request([answer(), user()]) },
  { rule: 'first_role', what: 'no message at all (row 105)', request: request([]) },
  { rule: 'last_role', what: 'an answer last (row 106)', request: request([user(), answer()]) },
  { rule: 'alternation', what: 'two users in a row', format: 'strict_chat', request: request([user(), user()]) },
  {
    rule: 'alternation',
    what: 'a user after a result',
    format: 'strict_chat',
    request: request([...turn(call('000000001')), user()]),
  },
  { rule: 'empty_content', what: 'blank text', request: request([user(' \n')]) },
  { rule: 'empty_content', what: 'a message without content', request: request([{ role: 'user', content: [] }]) },
  {
    rule: 'empty_content',
    what: 'an answer of reasoning alone (row 114)',
    format: 'anthropic_thinking',
    request: request([user(), answer({ content: [thinking] }), user()]),
  },
  {
    rule: 'unsupported_part',
    what: 'an image in a result',
    request: request([...turn(call()).slice(0, 2), { ...result(), content: [image] }]),
  },
  {
    rule: 'unsupported_part',
    what: 'an image for a model that reads none',
    request: request([{ role: 'user', content: [image] }]),
    options: { model: { ...model, images: false } },
  },
  {
    rule: 'media_limit',
    what: 'more images than a provider takes (row 92)',
    format: 'anthropic',
    request: request([{ role: 'user', content: Array.from({ length: 101 }, () => image) }]),
  },
  {
    rule: 'media_limit',
    what: 'more bytes of images than a provider takes (row 92)',
    format: 'anthropic',
    request: request([
      { role: 'user', content: Array.from({ length: 6 }, () => ({ ...image, data: 'A'.repeat(5_000_000) })) },
    ]),
  },
  {
    rule: 'unsupported_part',
    what: 'an image of more than 5 MiB',
    format: 'anthropic',
    request: request([{ role: 'user', content: [{ ...image, data: 'A'.repeat(5_242_884) }] }]),
  },
  {
    rule: 'call_without_result',
    what: 'an unanswered call',
    request: request([user(), answer({ tool_calls: [call()] }), user()]),
  },
  {
    rule: 'call_without_result',
    what: 'a result that is not directly behind its call (row 3)',
    request: request([user(), answer({ tool_calls: [call()] }), user(), result()]),
  },
  { rule: 'result_without_call', what: 'an orphan (row 1)', request: request([user(), result('call_9_0')]) },
  { rule: 'result_without_call', what: 'a second result (row 10)', request: request([...turn(call()), result()]) },
  { rule: 'call_id', what: "a charset that is not the provider's", request: request(turn(call('a:b/c'))) },
  { rule: 'call_id', what: 'an id longer than 40', request: request(turn(call('a'.repeat(41)))) },
  {
    rule: 'call_id',
    what: 'an id that is not nine long',
    format: 'strict_chat',
    request: request(turn(call('12345678'))),
  },
  {
    rule: 'repeated_call_id',
    what: 'an id that came before (row 20)',
    request: request([...turn(call()), ...turn(call())]),
  },
  { rule: 'call_name', what: 'a name outside the charset', request: request(turn(call('call_2_0', 'a.b'))) },
  {
    rule: 'call_count',
    what: '129 calls in one message',
    request: request(turn(...Array.from({ length: 129 }, (_, n) => call(`call_2_${n}`)))),
  },
  {
    rule: 'tool_name',
    what: 'a declared name that is too long',
    request: request([user()], { tools: [tool('n'.repeat(65))] }),
  },
  { rule: 'tool_name', what: 'two tools of one name', request: request([user()], { tools: [tool('a'), tool('a')] }) },
  {
    rule: 'tool_count',
    what: '129 tools',
    request: request([user()], { tools: Array.from({ length: 129 }, (_, n) => tool(`t${n}`)) }),
  },
  { rule: 'arguments', what: 'arguments that are a list', request: request(turn(call('call_2_0', 'search', '[1]'))) },
  { rule: 'arguments', what: 'arguments that are no JSON', request: request(turn(call('call_2_0', 'search', '{'))) },
  { rule: 'malformed_text', what: 'a lone surrogate in text (row 100)', request: request([user('\ud83d')]) },
  {
    rule: 'malformed_text',
    what: 'an escaped lone surrogate in arguments (row 101)',
    request: request(turn(call('call_2_0', 'search', '{"a":"\\ud83d"}'))),
  },
  { rule: 'malformed_text', what: 'NUL in the system prompt', request: request([user()], { system: 'a\0' }) },
  {
    rule: 'reasoning',
    what: 'reasoning in a format that has none',
    format: 'anthropic',
    request: request([user(), answer({ content: [thinking, { type: 'text', text: 'a' }] }), user()]),
  },
  {
    rule: 'reasoning',
    what: 'reasoning behind text',
    format: 'anthropic_thinking',
    request: request([user(), answer({ content: [{ type: 'text', text: 'a' }, thinking] }), user()]),
  },
  {
    rule: 'reasoning',
    what: 'unsigned reasoning',
    format: 'anthropic_thinking',
    request: request([
      user(),
      answer({
        content: [
          { type: 'thinking', text: 'x' },
          { type: 'text', text: 'a' },
        ],
      }),
      user(),
    ]),
  },
  {
    rule: 'reasoning',
    what: 'reasoning that was changed (row 112)',
    format: 'anthropic_thinking',
    request: request([user(), answer({ content: [{ ...thinking, text: 'h' }], tool_calls: [call()] }), result()]),
    options: { model, answers: [{ index: 1, model: 'm', content: [thinking] }] },
  },
  {
    rule: 'reasoning',
    what: 'reasoning of the current exchange that is missing (row 110)',
    format: 'anthropic_thinking',
    request: request(turn(call())),
    options: { model, answers: [{ index: 1, model: 'm', content: [thinking] }] },
  },
  {
    rule: 'reasoning',
    what: 'reasoning of another model',
    format: 'anthropic_thinking',
    request: request([user(), answer({ content: [thinking], tool_calls: [call()] }), result()]),
    options: { model, answers: [{ index: 1, model: 'other', content: [thinking] }] },
  },
];

describe('lint', () => {
  it.each(broken)('finds $rule: $what', ({ rule, format = 'openai_chat', request: made, options }) => {
    const found = new Set(lint(made, format, options).map((violation) => violation.rule));
    expect(found).toContain(rule);
  });

  it('has a broken request for each of its rules', () => {
    expect(new Set(broken.map(({ rule }) => rule))).toEqual(new Set(LINT_RULES));
  });

  it.each(['openai_chat', 'openai_responses', 'anthropic', 'anthropic_thinking', 'gemini'] as const)(
    'finds nothing in a sound %s request',
    (format) => {
      expect(
        lint(
          request([...turn(call(), call('call_2_1')), user('and?')], { system: 'You help.', tools: [tool('search')] }),
          format,
        ),
      ).toEqual([]);
    },
  );

  it('lets older reasoning be absent', () => {
    const options = { model, answers: [{ index: 1, model: 'm', content: [thinking] }] };
    expect(lint(request([user(), answer(), user()]), 'anthropic_thinking', options)).toEqual([]);
  });

  it('says where', () => {
    expect(lint(request([user(), answer({ tool_calls: [call()] }), user()]), 'openai_chat')).toEqual([
      { rule: 'call_without_result', index: 1, detail: 'call call_2_0' },
    ]);
  });
});
