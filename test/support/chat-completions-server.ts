import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ChatMessage = {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[];
  readonly tool_call_id?: string;
};
export type ChatRequest = {
  readonly stream?: boolean;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: unknown;
};
export type ChatAnswer =
  { readonly content: string } | { readonly calls: readonly { readonly name: string; readonly arguments: object }[] };

/**
 * An endpoint as somebody would write it from OpenAI's public description of chat completions, whole or streamed, with
 * nothing of Weir in it. Refuses what that description refuses: a wrong key, a tool result without its call.
 */
export async function startChatCompletions(
  key: string,
  answer: (request: ChatRequest) => ChatAnswer,
): Promise<{ url: string; requests: readonly ChatRequest[]; close: () => Promise<void> }> {
  const requests: ChatRequest[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
      return reply(404, { error: { message: 'Not found', type: 'invalid_request_error' } });
    if (request.headers.authorization !== `Bearer ${key}`)
      return reply(401, { error: { message: 'Incorrect API key', type: 'invalid_request_error' } });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ChatRequest;
    const asked = new Set(body.messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id)));
    const orphan = body.messages.find(({ role, tool_call_id }) => role === 'tool' && !asked.has(tool_call_id ?? ''));
    if (orphan !== undefined)
      return reply(400, { error: { message: 'tool message without its call', type: 'invalid_request_error' } });
    requests.push(body);
    const whole = completion(body.model, requests.length, answer(body));
    if (body.stream !== true) return reply(200, whole);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunksOf(whole)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Completion = {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    message: { content: string | null; tool_calls?: readonly object[] };
    finish_reason: string;
  }[];
  readonly usage: object;
};

function completion(model: string, number: number, answer: ChatAnswer): Completion {
  const calls = 'calls' in answer ? answer.calls : [];
  const message = {
    role: 'assistant',
    content: 'content' in answer ? answer.content : null,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call, index) => ({
            id: `call_${number}_${index}`,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.arguments) },
          })),
        }),
  };
  return {
    id: `chatcmpl-${number}`,
    object: 'chat.completion',
    created: 1_700_000_000 + number,
    model,
    choices: [{ message, finish_reason: calls.length === 0 ? 'stop' : 'tool_calls' }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  };
}

/** The same answer in pieces: role, text by halves, calls, the reason of the end, usage. */
function chunksOf({ choices, usage, ...head }: Completion): object[] {
  const [choice] = choices;
  const text = choice?.message.content ?? '';
  const half = Math.ceil(text.length / 2);
  const calls = (choice?.message.tool_calls ?? []).map((call, index) => ({ index, ...call }));
  const deltas = [
    { role: 'assistant', content: '' },
    ...(text === '' ? [] : [{ content: text.slice(0, half) }, { content: text.slice(half) }]),
    ...(calls.length === 0 ? [] : [{ tool_calls: calls }]),
  ];
  const chunk = (delta: object, finishReason: string | null): object => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  return [
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, choice?.finish_reason ?? 'stop'),
    { ...head, object: 'chat.completion.chunk', choices: [], usage },
  ];
}
