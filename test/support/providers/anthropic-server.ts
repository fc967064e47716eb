import { FakeProvider, tokens, type WireFormat } from './fake-provider.js';
import type { FakeAnswer } from './fake-reply.js';

/** Anthropic Messages: `POST /v1/messages`. Base URL for clients: `server.url`. `usage.input` is without cache reads and writes, as on the real wire. */
export const startAnthropicServer = (): Promise<FakeProvider> => FakeProvider.start(messages);

type Block = { start: { [key: string]: unknown }; deltas: { [key: string]: unknown }[] };

const messages: WireFormat = {
  path: '/v1/messages',
  document: (answer, request) => ({
    ...head(request.json['model']),
    content: documentBlocks(answer),
    stop_reason: stopOf(answer),
    stop_sequence: null,
    usage: usageOf(answer),
  }),
  frames: (answer, request) => {
    const { output_tokens: output, ...input } = usageOf(answer);
    const frames = [
      frame({
        type: 'message_start',
        message: {
          ...head(request.json['model']),
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...input, output_tokens: 1 },
        },
      }),
      frame({ type: 'ping' }),
    ];
    for (const [index, block] of streamBlocks(answer).entries()) {
      frames.push(frame({ type: 'content_block_start', index, content_block: block.start }));
      for (const delta of block.deltas) frames.push(frame({ type: 'content_block_delta', index, delta }));
      frames.push(frame({ type: 'content_block_stop', index }));
    }
    frames.push(
      frame({
        type: 'message_delta',
        delta: { stop_reason: stopOf(answer), stop_sequence: null },
        usage: { output_tokens: output },
      }),
    );
    return [...frames, frame({ type: 'message_stop' })];
  },
  errorFrame: (error) => frame({ type: 'error', error }),
};

const frame = (data: { type: string; [key: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const head = (model: unknown): { [key: string]: unknown } => ({
  id: 'msg_fake',
  type: 'message',
  role: 'assistant',
  model,
});

function streamBlocks(answer: FakeAnswer): Block[] {
  const blocks: Block[] = [];
  const { thinking, redactedThinking, text } = answer;
  if (thinking !== undefined) {
    const deltas = tokens(thinking.text).map((piece) => ({ type: 'thinking_delta', thinking: piece }));
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [...deltas, { type: 'signature_delta', signature: thinking.signature }],
    });
  }
  if (redactedThinking !== undefined)
    blocks.push({ start: { type: 'redacted_thinking', data: redactedThinking }, deltas: [] });
  if (text !== undefined)
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: tokens(text).map((piece) => ({ type: 'text_delta', text: piece })),
    });
  for (const call of answer.toolCalls ?? []) {
    const deltas = ['', ...tokens(call.arguments)].map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
    blocks.push({ start: { type: 'tool_use', id: call.id, name: call.name, input: {} }, deltas });
  }
  return blocks;
}

function documentBlocks(answer: FakeAnswer): unknown[] {
  const blocks: unknown[] = [];
  if (answer.thinking !== undefined)
    blocks.push({ type: 'thinking', thinking: answer.thinking.text, signature: answer.thinking.signature });
  if (answer.redactedThinking !== undefined) blocks.push({ type: 'redacted_thinking', data: answer.redactedThinking });
  if (answer.text !== undefined) blocks.push({ type: 'text', text: answer.text });
  for (const call of answer.toolCalls ?? [])
    blocks.push({ type: 'tool_use', id: call.id, name: call.name, input: JSON.parse(call.arguments) });
  return blocks;
}

function stopOf(answer: FakeAnswer): string {
  return answer.finish ?? (answer.toolCalls === undefined ? 'end_turn' : 'tool_use');
}

function usageOf({ usage = { input: 20, output: 5 } }: FakeAnswer): {
  input_tokens: number;
  output_tokens: number;
  [key: string]: number;
} {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    cache_read_input_tokens: usage.cached ?? 0,
    output_tokens: usage.output,
  };
}
