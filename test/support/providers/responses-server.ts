import { FakeProvider, tokens, type RecordedRequest, type WireFormat } from './fake-provider.js';
import type { FakeAnswer } from './fake-reply.js';

/** OpenAI Responses: `POST /v1/responses`, as a stream. Base URL for clients: `${server.url}/v1`. */
export const startResponsesServer = (): Promise<FakeProvider> => FakeProvider.start(responses);

type Item = { id: string; type: string; [key: string]: unknown };

const responses: WireFormat = {
  path: '/v1/responses',
  document: (answer, request) => response(answer, request),
  frames: (answer, request) => {
    const frames = [
      frame({ type: 'response.created', response: { ...head(request), status: 'in_progress', output: [] } }),
    ];
    for (const [index, item] of outputOf(answer).entries()) {
      frames.push(frame({ type: 'response.output_item.added', output_index: index, item: begun(item) }));
      frames.push(...deltas(item, index).map(frame));
      frames.push(frame({ type: 'response.output_item.done', output_index: index, item }));
    }
    const ended = response(answer, request);
    return [...frames, frame({ type: `response.${String(ended['status'])}`, response: ended })];
  },
  errorFrame: ({ type, message, code }) => frame({ type: 'error', code: code ?? type, message, param: null }),
};

const frame = (data: { type: string; [key: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify({ sequence_number: 1, ...data })}\n\n`;
const head = (request: RecordedRequest): { [key: string]: unknown } => ({
  id: 'resp_fake',
  object: 'response',
  created_at: 1_700_000_000,
  model: request.json['model'],
});

/** Reasoning, message, calls: in the order in which a model that reasons gives them. */
function outputOf(answer: FakeAnswer): Item[] {
  const items: Item[] = [];
  if (answer.thinking !== undefined)
    items.push({
      id: 'rs_1',
      type: 'reasoning',
      summary: answer.thinking.text === '' ? [] : [{ type: 'summary_text', text: answer.thinking.text }],
      encrypted_content: answer.thinking.signature,
    });
  const content = [
    ...(answer.text === undefined ? [] : [{ type: 'output_text', text: answer.text, annotations: [] }]),
    ...(answer.refusal === undefined ? [] : [{ type: 'refusal', refusal: answer.refusal }]),
  ];
  if (content.length > 0) items.push({ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content });
  for (const [at, call] of (answer.toolCalls ?? []).entries())
    items.push({ id: `fc_${at}`, type: 'function_call', call_id: call.id, name: call.name, arguments: call.arguments });
  return items;
}

function begun(item: Item): Item {
  if (item.type === 'function_call') return { ...item, arguments: '' };
  return item.type === 'message' ? { ...item, content: [] } : { ...item, encrypted_content: '' };
}

function deltas(item: Item, output_index: number): { type: string; [key: string]: unknown }[] {
  const at = { output_index, item_id: item.id };
  if (item.type === 'function_call')
    return tokens(String(item['arguments'])).map((delta) => ({
      ...{ type: 'response.function_call_arguments.delta', delta },
      ...at,
    }));
  if (item.type !== 'message') return [];
  return (item['content'] as { text?: string; refusal?: string }[]).flatMap(({ text, refusal }, content_index) => [
    ...tokens(text ?? '').map((delta) => ({ type: 'response.output_text.delta', content_index, delta, ...at })),
    ...tokens(refusal ?? '').map((delta) => ({ type: 'response.refusal.delta', content_index, delta, ...at })),
  ]);
}

function response(answer: FakeAnswer, request: RecordedRequest): { [key: string]: unknown } {
  const { input, cached = 0, output } = answer.usage ?? { input: 20, output: 5 };
  const isCut = answer.finish !== undefined;
  return {
    ...head(request),
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: answer.finish } : null,
    error: null,
    output: outputOf(answer),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  };
}
