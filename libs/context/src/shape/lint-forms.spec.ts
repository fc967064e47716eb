import type { ApiFormat, NeutralRequest } from '../neutral.js';
import { png } from '../testing/images.js';
import {
  answer,
  call,
  image,
  item,
  model,
  pdf,
  request,
  result,
  thinking,
  turn,
  user,
  words,
} from '../testing/requests.js';
import { lint, type LintOptions, type LintRule } from './index.js';
import { thoughtSignaturePart } from './reasoning-forms.js';

type Broken = { rule: LintRule; what: string; format: ApiFormat; request: NeutralRequest; options?: LintOptions };

/** What only Responses, Gemini, Bedrock or Anthropic refuse. */
const broken: Broken[] = [
  {
    rule: 'media_limit',
    what: 'one large image among more than 20',
    format: 'anthropic',
    request: request([
      {
        role: 'user',
        content: Array.from({ length: 21 }, (_, n) => ({ ...image, data: png(n === 20 ? 2_001 : 90, 90) })),
      },
    ]),
  },
  {
    rule: 'media_limit',
    what: 'six documents',
    format: 'bedrock',
    request: request([{ role: 'user', content: [words, ...Array.from({ length: 6 }, () => pdf)] }]),
  },
  {
    rule: 'media_limit',
    what: '21 images',
    format: 'bedrock',
    request: request([{ role: 'user', content: Array.from({ length: 21 }, () => ({ ...image, data: png(90, 90) })) }]),
  },
  {
    rule: 'unsupported_part',
    what: 'an image that is larger than 8,000 px',
    format: 'bedrock',
    request: request([{ role: 'user', content: [{ ...image, data: png(90, 8_001) }] }]),
  },
  {
    rule: 'unsupported_part',
    what: 'a document without a text',
    format: 'bedrock',
    request: request([{ role: 'user', content: [pdf] }]),
  },
  {
    rule: 'unsupported_part',
    what: 'an address that nobody fetches',
    format: 'gemini',
    request: request([{ role: 'user', content: [{ type: 'image', url: 'https://example.com/a.png' }] }]),
  },
  {
    rule: 'alternation',
    what: 'two answers in a row',
    format: 'gemini',
    request: request([user(), answer(), answer(), user()]),
  },
  {
    rule: 'alternation',
    what: 'a user beside results',
    format: 'bedrock',
    request: request([...turn(call()), user()]),
  },
  { rule: 'call_name', what: 'a digit first', format: 'gemini', request: request(turn(call('call_2_0', '1st'))) },
  {
    rule: 'call_id',
    what: 'an id longer than 64',
    format: 'openai_responses',
    request: request(turn(call('a'.repeat(65)))),
  },
  {
    rule: 'reasoning',
    what: 'an item that is stored nowhere',
    format: 'openai_responses',
    request: request([user(), answer({ content: [item(0, null), words] }), user()]),
  },
  {
    rule: 'reasoning',
    what: 'an item without the one that followed it (row 113)',
    format: 'openai_responses',
    request: request([user(), answer({ content: [words, item()] }), user()]),
  },
  {
    rule: 'reasoning',
    what: 'an item that belongs to a later call than there is',
    format: 'openai_responses',
    request: request([user(), answer({ content: [item(1)], tool_calls: [call()] }), result()]),
  },
  {
    rule: 'reasoning',
    what: 'a signed block where items are wanted',
    format: 'openai_responses',
    request: request([user(), answer({ content: [thinking, words] }), user()]),
  },
  {
    rule: 'reasoning',
    what: 'a signature of a call that is not there',
    format: 'gemini',
    request: request([
      user(),
      answer({ content: [thoughtSignaturePart({ thought_signature: 's', call: 1 })], tool_calls: [call()] }),
      result(),
    ]),
  },
  {
    rule: 'reasoning',
    what: 'a signature of the current exchange that is missing',
    format: 'gemini',
    request: request(turn(call())),
    options: {
      model,
      answers: [{ index: 1, model: 'm', content: [thoughtSignaturePart({ thought_signature: 's', call: 0 })] }],
    },
  },
];

describe('lint', () => {
  it.each(broken)('finds $rule in $format: $what', ({ rule, format, request: made, options }) => {
    expect(lint(made, format, options).map((violation) => violation.rule)).toContain(rule);
  });

  it('finds nothing in a sound request for Bedrock', () => {
    expect(lint(request([...turn(call(), call('call_2_1'))], { system: 'You help.' }), 'bedrock')).toEqual([]);
  });
});
