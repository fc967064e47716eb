import { FakeProvider, tokens, type RecordedRequest, type WireFormat } from './fake-provider.js';
import type { FakeAnswer } from './fake-reply.js';

/** OpenAI Chat Completions: `POST /v1/chat/completions`. Base URL for clients: `${server.url}/v1`. */
export const startOpenAiServer = (): Promise<FakeProvider> => FakeProvider.start(chatCompletions);

const chatCompletions: WireFormat = {
  path: '/v1/chat/completions',
  document: (answer, request) => ({
    ...head(request, 'chat.completion'),
    choices: [{ index: 0, finish_reason: finishOf(answer), logprobs: null, message: message(answer) }],
    usage: usageOf(answer),
  }),
  frames: (answer, request) => {
    const chunk = (delta: unknown, finish: string | null = null): string =>
      frame({ ...head(request, 'chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: finish }] });
    const frames = [chunk({ role: 'assistant', content: '' })];
    for (const piece of tokens(answer.thinking?.text ?? '')) frames.push(chunk({ reasoning_content: piece }));
    for (const content of tokens(answer.text ?? '')) frames.push(chunk({ content }));
    if (answer.refusal !== undefined) frames.push(chunk({ refusal: answer.refusal }));
    for (const [index, call] of (answer.toolCalls ?? []).entries()) {
      frames.push(
        chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
      );
      for (const piece of tokens(call.arguments))
        frames.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
    frames.push(chunk({}, finishOf(answer)));
    const options = request.json['stream_options'] as { include_usage?: boolean } | undefined;
    if (options?.include_usage === true)
      frames.push(frame({ ...head(request, 'chat.completion.chunk'), choices: [], usage: usageOf(answer) }));
    return [...frames, 'data: [DONE]\n\n'];
  },
  errorFrame: (error) => frame({ error: { ...error, param: null, code: error.code ?? null } }),
};

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

function head(request: RecordedRequest, object: string): { [key: string]: unknown } {
  return {
    id: 'chatcmpl-fake',
    object,
    created: 1_700_000_000,
    model: request.json['model'],
    system_fingerprint: 'fp_fake',
  };
}

function message(answer: FakeAnswer): { [key: string]: unknown } {
  const calls = answer.toolCalls?.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  return {
    role: 'assistant',
    content: answer.text ?? null,
    refusal: answer.refusal ?? null,
    // As DeepSeek, vLLM and others that serve reasoning models have it.
    ...(answer.thinking === undefined ? {} : { reasoning_content: answer.thinking.text }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
  };
}

function finishOf(answer: FakeAnswer): string {
  return answer.finish ?? (answer.toolCalls === undefined ? 'stop' : 'tool_calls');
}

function usageOf({ usage = { input: 20, output: 5 } }: FakeAnswer): { [key: string]: unknown } {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
