import type { NeutralRequest } from '../../../libs/context/src/index.js';
import { png } from '../../../libs/context/src/testing/images.js';
import type { ScriptedReply } from '../../../libs/models/src/index.js';
import { startWebhookReceiver } from '../../support/webhook-receiver.js';
import { startTestApi } from './test-api.js';

/** What differs from one run of a conversation to the next; `messages`: said before its first run. */
export type Shape = { context?: object; model?: string; system_prompt?: string; tools?: string[]; messages?: object[] };

export const LETTER = 'Dear Ada, '.repeat(250);
export const THOUGHT = 'The letter is what is asked for.';
export const PHOTO = png(10, 10);

const MODELS = { other: 'strict_chat', thinker: 'anthropic_thinking', looker: 'bedrock' };

/** Conversations with an agent that does what the last user message asks for, and what its models saw in each call. */
export async function startContextStage() {
  const others = await startWebhookReceiver();
  const { host, origin } = new URL(others.url);
  const logged: string[] = [];
  const models = Object.entries(MODELS).map(([name, format]) => `"scripted:${name}": { api_format: ${format} }`);
  const api = await startTestApi({
    operatorFile: `models: { ${models.join(', ')} }\nhttp: { allowed_hosts: ["${host}"] }`,
    onLog: (line) => logged.push(line),
  });
  const sent: NeutralRequest[] = [];
  for (const name of ['talk', ...Object.keys(MODELS)])
    api.scripts.set(name, ({ request }) => {
      sent.push(request);
      return replyTo(request.messages, name);
    });
  const begin = async (streamId: string, message: string, shape: Shape = {}): Promise<string> => {
    const applied = await api.ask('/v1/pipelines/talk', { method: 'PUT', body: documentOf(shape, origin) });
    expect([applied.status, applied.text]).toEqual([expect.any(Number), expect.not.stringContaining('errors')]);
    const { messages } = shape;
    const body = {
      inputs: { message },
      stream_id: streamId,
      ...(messages === undefined ? {} : { messages: { messages } }),
    };
    const run = await api.ask('/v1/pipelines/talk/runs', { method: 'POST', body });
    expect([run.status, run.text]).toEqual([202, expect.any(String)]);
    await api.work();
    return run.body.id;
  };
  const contextOf = async (run: string, call = 1) =>
    (await api.ask(`/v1/runs/${run}/steps/answer/calls/${call}/context?diff=previous`)).body;
  return {
    api,
    others,
    /** Every request that a model got, in order. */
    sent,
    logged,
    /** Starts a run; it may be waiting for something now. */
    begin,
    /** A run from its start to its end. */
    say: async (streamId: string, message: string, shape?: Shape): Promise<string> => {
      const run = await begin(streamId, message, shape);
      expect((await api.ask(`/v1/runs/${run}`)).body.status).toBe('succeeded');
      return run;
    },
    contextOf,
    differenceOf: async (run: string, call = 1) => (await contextOf(run, call)).diff,
    close: async () => {
      await api.close();
      await others.close();
    },
  };
}

export type ContextStage = Awaited<ReturnType<typeof startContextStage>>;

export const documentOf = (
  { context = {}, model = 'scripted:talk', messages: _saidBefore, ...agent }: Shape,
  origin = 'https://example.com',
) => ({
  name: 'talk',
  inputs: { message: { type: 'string', required: true } },
  defaults: { model },
  context,
  agents: { helper: { system_prompt: 'Help.', tools: ['memory_write', 'memory_read'], ...agent } },
  tools: {
    photo: { kind: 'http', description: 'A photo.', method: 'GET', url: `${origin}/photo` },
    order: { kind: 'http', description: 'Orders it.', method: 'POST', url: `${origin}/order`, result: 'later' },
  },
  steps: [{ id: 'answer', agent: 'helper', task: '${inputs.message}' }],
});

const CALLS: { [verb: string]: (word: string) => NonNullable<ScriptedReply['tool_calls']>[number] } = {
  write: () => ({ name: 'memory_write', arguments: { key: 'letter', value: LETTER } }),
  name: (word) => ({ name: 'memory_write', arguments: { key: 'name', value: word } }),
  read: () => ({ name: 'memory_read', arguments: { key: 'letter' } }),
  photo: () => ({ name: 'photo' }),
  order: () => ({ name: 'order' }),
};

/** What the last user message asks for: `write`, `name Ada`, `read 2` (so many times), `photo`, `order`, or just an answer. */
function replyTo(messages: readonly { role: string; content: unknown }[], model: string): ScriptedReply {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const [, verb = '', word = ''] =
    /(write|name|read|photo|order) ?(\w*)"\}\]$/.exec(JSON.stringify(messages[at]?.content)) ?? [];
  const done = messages.length - 1 - at;
  const most = verb === 'read' ? 2 * Number(word) : 1;
  const call = done < most ? CALLS[verb]?.(word) : undefined;
  const parts: ScriptedReply['parts'] =
    model === 'thinker' ? [{ type: 'thinking', text: THOUGHT, signature: 'signed' }] : [];
  if (call !== undefined) return { parts, tool_calls: [call] };
  return { parts, text: verb === 'read' ? 'I have read it.' : 'Done.' };
}

export const charsOf = (messages: readonly { chars: number }[]): number =>
  messages.reduce((sum, { chars }) => sum + chars, 0);

const span = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Law C4: each entry up to the last one is in one message or left out, once. */
export function expectEachEntryOnce(context: any, upto: number): void {
  const shown = context.messages.flatMap((message: any) => message.entries);
  const left = context.omitted.flatMap((one: any) => span(one.entries[0], one.entries[1]));
  expect([...shown, ...left].sort((a: number, b: number) => a - b)).toEqual(span(1, upto));
}
