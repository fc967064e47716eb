import type { AssistantPart } from '#libs/domain';
import { API_FORMATS, type ApiFormat, type NeutralMessage, type NeutralRequest } from '../neutral.js';
import { png } from '../testing/images.js';
import { Session, testManifest, testModel, windowPolicy } from '../testing/session.js';
import { lint, LINT_RULES, type LintOptions, type LintRule } from './index.js';
import { reasoningItemPart, thoughtSignaturePart } from './reasoning-forms.js';

type Assistant = Extract<NeutralMessage, { role: 'assistant' }>;
type Broken = { request: NeutralRequest; format?: ApiFormat };
type Built = { request: NeutralRequest; options: LintOptions };

/** Each format's own reasoning: what another one wants is left out. */
const reasoning: AssistantPart[] = [
  { type: 'thinking', text: 'hm', signature: 's' },
  reasoningItemPart({
    item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 's' },
    calls_before: 0,
  }),
  thoughtSignaturePart({ thought_signature: 's', call: 0 }),
];
const image = { type: 'image', media_type: 'image/png', data: png(90, 90) } as const;

/** A context as `buildContext` makes it: tools, parallel calls, an image, reasoning, masking, an open exchange. */
function built(format: ApiFormat): Built {
  const policy = windowPolicy({ observation_window: 1, mask_batch_turns: 1 });
  const model = testModel({ apiFormat: format });
  const tools = [{ name: 'search', description: 'Finds', parameters: { type: 'object' } }];
  const session = new Session(testManifest(policy, model, { tools }), policy);
  session.user([{ type: 'text', text: 'find it' }, image]);
  const content: AssistantPart[] = [...reasoning, { type: 'text', text: 'looking' }];
  for (let turn = 1; turn <= 3; turn += 1) {
    const build = session.build();
    if (build.kind !== 'ready') throw new Error(build.kind);
    session.started(build);
    session.log.answer(content, [{ name: 'search', arguments: '{"q":"a"}' }, { name: 'search' }], {
      callNo: session.callNo,
      model: model.id,
    });
    session.log.result(0, 'found '.repeat(50), { callNo: session.callNo });
    session.log.result(1, 'nothing', { callNo: session.callNo });
  }
  const build = session.build();
  if (build.kind !== 'ready') throw new Error(build.kind);
  const answers = build.messages.flatMap(({ message }, index) =>
    message.role === 'assistant' ? [{ index, model: model.id, content }] : [],
  );
  return { request: build.request, options: { model, answers } };
}

const withMessages = (request: NeutralRequest, change: (messages: NeutralMessage[]) => NeutralMessage[]) => ({
  ...request,
  messages: change(structuredClone(request.messages)),
});
const answersOf = (messages: NeutralMessage[]): Assistant[] =>
  messages.filter((message) => message.role === 'assistant');
/** The last answer of a built context, changed. */
const withAnswer = (request: NeutralRequest, change: (answer: Assistant) => void): NeutralRequest =>
  withMessages(request, (messages) => {
    answersOf(messages).slice(-1).forEach(change);
    return messages;
  });
const withCall = (request: NeutralRequest, change: Partial<Assistant['tool_calls'][number]>): NeutralRequest =>
  withAnswer(request, (answer) => answer.tool_calls.splice(0, 1, { ...answer.tool_calls[0], ...change } as never));
const user = (...content: Extract<NeutralMessage, { role: 'user' }>['content']): NeutralMessage => ({
  role: 'user',
  content,
});

/** For each rule, what is done to the built request. */
const breaks: { [rule in LintRule]: (request: NeutralRequest) => Broken } = {
  system_role: (request) => ({
    request: withMessages(request, (messages) => [...messages, { role: 'system', content: [] } as never]),
  }),
  first_role: (request) => ({ request: withMessages(request, (messages) => messages.slice(1)) }),
  last_role: (request) => ({ request: withMessages(request, (messages) => [...messages, ...answersOf(messages)]) }),
  alternation: (request) => ({
    request: withMessages(request, ([first, ...rest]) => [...(first === undefined ? [] : [first, first]), ...rest]),
    format: 'gemini',
  }),
  empty_content: (request) => ({ request: withMessages(request, ([, ...rest]) => [user(), ...rest]) }),
  unsupported_part: (request) => ({
    request: withMessages(request, ([, ...rest]) => [user({ ...image, media_type: 'image/tiff' }), ...rest]),
  }),
  media_limit: (request) => ({
    request: withMessages(request, ([, ...rest]) => [user(...Array.from({ length: 1_000 }, () => image)), ...rest]),
  }),
  call_without_result: (request) => ({ request: withMessages(request, (messages) => messages.slice(0, -1)) }),
  result_without_call: (request) => ({
    request: withMessages(request, (messages) => [...messages, ...messages.slice(-1)]),
  }),
  call_id: (request) => ({ request: withCall(request, { id: 'a:b' }) }),
  repeated_call_id: (request) => ({
    request: withMessages(request, (messages) => [...messages, ...messages.slice(1)]),
  }),
  call_name: (request) => ({ request: withCall(request, { name: 'a.b' }) }),
  call_count: (request) => ({
    request: withAnswer(request, ({ tool_calls: calls }) => {
      for (let n = calls.length; n < 130; n += 1) calls.push({ id: `call_9_${n}`, name: 'search', arguments: '{}' });
    }),
    format: 'openai_chat',
  }),
  tool_name: (request) => ({ request: { ...request, tools: [...request.tools, ...request.tools] } }),
  tool_count: (request) => ({
    request: {
      ...request,
      tools: Array.from({ length: 129 }, (_, n) => ({ name: `t${n}`, description: '', parameters: {} })),
    },
    format: 'openai_responses',
  }),
  arguments: (request) => ({ request: withCall(request, { arguments: '{"q":' }) }),
  malformed_text: (request) => ({ request: { ...request, system: 'a\ud83d' } }),
  reasoning: (request) => ({
    request: withAnswer(request, (answer) =>
      answer.content.push({ type: 'thinking', text: 'changed', signature: 's' }),
    ),
  }),
};

describe.each(API_FORMATS)('a built context in the form %s', (format) => {
  const { request, options } = built(format);

  it('has nothing that the linter finds', () => {
    expect(lint(request, format, options)).toEqual([]);
  });

  it.each(LINT_RULES)('broken by %s is found', (rule) => {
    const { request: broken, format: only = format } = breaks[rule](request);
    // A rule that this format does not have is tried on a context of one that has it.
    const made = only === format ? broken : breaks[rule](built(only).request).request;
    expect(lint(made, only, options).map((violation) => violation.rule)).toContain(rule);
  });
});

describe('reasoning in a built context', () => {
  it.each([
    ['anthropic_thinking', 'thinking'],
    ['bedrock', 'thinking'],
    ['openai_responses', 'opaque'],
    ['gemini', 'opaque'],
  ] as const)('of %s goes back, and taking it away in the current exchange is found', (format, type) => {
    const { request, options } = built(format);
    expect(
      answersOf(request.messages)
        .at(-1)
        ?.content.map((part) => part.type),
    ).toContain(type);
    const without = withAnswer(request, (answer) => {
      answer.content = answer.content.filter((part) => part.type === 'text');
    });
    expect(lint(without, format, options).map(({ rule }) => rule)).toEqual(['reasoning']);
  });
});
