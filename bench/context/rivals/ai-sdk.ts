import type { NeutralMessage } from '../../../libs/context/src/index.js';
import type { Rival, Setting } from './rival.js';

type Part = { type: string; toolCallId?: string; toolName?: string; text?: string; input?: unknown; output?: unknown };
type ModelMessage = { role: 'user' | 'assistant' | 'tool'; content: Part[] };
type PruneMessages = (options: { messages: ModelMessage[]; toolCalls: string }) => ModelMessage[];

/** Installed beside the benchmark only, so its types are not known to the build. */
const AI_SDK = new URL('node_modules/ai/dist/index.mjs', import.meta.url).href;
const { pruneMessages } = (await import(AI_SDK)) as { pruneMessages: PruneMessages };

const LAST_MESSAGES = [1_024, 512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2];

/** AI SDK `pruneMessages`: calls and results before the last n messages are left out. It knows no size; n is what keeps to the budget. */
export const aiSdkPruning: Rival = {
  label: 'AI SDK pruneMessages',
  keepsMost: true,
  settings: () =>
    LAST_MESSAGES.map((last): Setting => ({
      label: `before-last-${last}-messages`,
      forFuzz: last === 4,
      start: () => {
        const conversation = new AiSdkHistory();
        return {
          next: (history) => {
            const messages = history.map((message) => conversation.theirs(message));
            const pruned = pruneMessages({ messages, toolCalls: `before-last-${last}-messages` });
            return Promise.resolve({
              messages: pruned.flatMap((message) => conversation.neutral(message)),
              charged: 0,
            });
          },
        };
      },
    })),
};

/** Parts keep their identity through pruning, so each tells what it was made of. */
class AiSdkHistory {
  private readonly made = new WeakMap<NeutralMessage, ModelMessage>();
  private readonly whole = new WeakMap<ModelMessage, NeutralMessage>();
  private readonly calls = new WeakMap<Part, Extract<NeutralMessage, { role: 'assistant' }>['tool_calls'][number]>();
  private readonly said = new WeakMap<Part, Extract<NeutralMessage, { role: 'assistant' }>['content'][number]>();
  /** A pruned message that is the same as in the call before is the same object, so that sizes are counted once. */
  private readonly pruned = new WeakMap<Part, { key: string; message: NeutralMessage }>();

  theirs(message: NeutralMessage): ModelMessage {
    const found = this.made.get(message);
    if (found !== undefined) return found;
    const made: ModelMessage = { role: message.role, content: this.parts(message) };
    this.made.set(message, made);
    this.whole.set(made, message);
    return made;
  }

  neutral(message: ModelMessage): NeutralMessage[] {
    const whole = this.whole.get(message);
    if (whole !== undefined && message.content.length === this.made.get(whole)?.content.length) return [whole];
    const [first] = message.content;
    if (message.role !== 'assistant' || first === undefined) return [];
    const key = String(message.content.length);
    const known = this.pruned.get(first);
    if (known?.key === key) return [known.message];
    const content = message.content.flatMap((part) => this.said.get(part) ?? []);
    const toolCalls = message.content.flatMap((part) => this.calls.get(part) ?? []);
    const made: NeutralMessage = { role: 'assistant', content, tool_calls: toolCalls };
    this.pruned.set(first, { key, message: made });
    return [made];
  }

  private parts(message: NeutralMessage): Part[] {
    if (message.role === 'user')
      return message.content.map((part) => ({ type: 'text', text: part.type === 'text' ? part.text : part.type }));
    if (message.role === 'tool')
      return [
        {
          type: 'tool-result',
          toolCallId: message.tool_call_id,
          toolName: message.name,
          output: { type: 'text', value: '' },
        },
      ];
    const said = message.content.map((part): Part => {
      const isReasoning = part.type === 'thinking' || part.type === 'redacted_thinking' || part.type === 'opaque';
      const made: Part = { type: isReasoning ? 'reasoning' : 'text', text: part.type === 'text' ? part.text : '' };
      this.said.set(made, part);
      return made;
    });
    const calls = message.tool_calls.map((call): Part => {
      const made: Part = { type: 'tool-call', toolCallId: call.id, toolName: call.name, input: {} };
      this.calls.set(made, call);
      return made;
    });
    return [...said, ...calls];
  }
}
