import type { AssistantMessage, AssistantPart, FinishReason, Json, ToolCall, Usage } from '#libs/domain';

type ReceivedCall = { id: string; name: string; pieces: string[] };
type Part =
  | { part: Exclude<AssistantPart, { type: 'text' | 'thinking' }> }
  | { type: 'text'; pieces: string[] }
  | { type: 'thinking'; pieces: string[]; signature: string };

/**
 * An answer as it comes, whole or in pieces: parts and calls by the provider's index, so that their order stays and valid
 * and broken arguments stand side by side, each as the text that was received.
 */
export class ReceivedAnswer {
  finishReason: FinishReason | null = null;
  usage: Usage | null = null;
  /** What the model said instead of an answer, where the provider marks refusals. */
  refusal: string | null = null;
  payload: { [key: string]: Json } = {};
  private readonly parts = new Map<number, Part>();
  private readonly calls = new Map<number, ReceivedCall>();

  addText(index: number, piece: string): void {
    const known = this.parts.get(index);
    if (known !== undefined && 'pieces' in known) known.pieces.push(piece);
    else this.parts.set(index, { type: 'text', pieces: [piece] });
  }

  addThinking(index: number, piece: string, signature: string): void {
    const known = this.parts.get(index);
    if (known === undefined || !('signature' in known))
      this.parts.set(index, { type: 'thinking', pieces: [piece], signature });
    else {
      known.pieces.push(piece);
      known.signature += signature;
    }
  }

  addPart(index: number, part: Exclude<AssistantPart, { type: 'text' | 'thinking' }>): void {
    this.parts.set(index, { part });
  }

  addCall(index: number, given: { id?: string | null; name?: string | null; piece?: string | null }): void {
    const call = this.calls.get(index) ?? { id: '', name: '', pieces: [] };
    this.calls.set(index, call);
    if (call.id === '') call.id = given.id ?? '';
    if (call.name === '') call.name = given.name ?? '';
    call.pieces.push(given.piece ?? '');
  }

  /** Takes the first call of this name away; its arguments as received, or null when there is none. */
  takeCall(name: string): string | null {
    const found = sorted(this.calls).find(([, call]) => call.name === name);
    if (found === undefined) return null;
    this.calls.delete(found[0]);
    return found[1].pieces.join('');
  }

  /** Puts one text behind all parts and takes every other text away. Returns what that was. */
  replaceText(text: string): string {
    const texts = sorted(this.parts).filter(([, part]) => 'type' in part && part.type === 'text');
    const replaced = texts.map(([, part]) => ('pieces' in part ? part.pieces.join('') : '')).join('');
    for (const [index] of texts) this.parts.delete(index);
    this.addText(Math.max(-1, ...this.parts.keys()) + 1, text);
    return replaced;
  }

  get message(): AssistantMessage {
    return { content: this.content(), tool_calls: this.toolCalls() };
  }

  /** Text of the answer is there, or a call; reasoning alone is no answer. */
  get hasAnswer(): boolean {
    const { content, tool_calls: calls } = this.message;
    return (
      calls.length > 0 ||
      content.some((part) => part.type === 'image' || (part.type === 'text' && part.text.trim() !== ''))
    );
  }

  get isEmpty(): boolean {
    return this.parts.size === 0 && this.calls.size === 0;
  }

  private content(): AssistantPart[] {
    const content: AssistantPart[] = [];
    for (const [, part] of sorted(this.parts)) {
      if ('part' in part) content.push(part.part);
      else if (part.type === 'text') {
        if (part.pieces.some((piece) => piece !== '')) content.push({ type: 'text', text: part.pieces.join('') });
      } else
        content.push({
          type: 'thinking',
          text: part.pieces.join(''),
          ...(part.signature === '' ? {} : { signature: part.signature }),
        });
    }
    return content;
  }

  private toolCalls(): ToolCall[] {
    return sorted(this.calls).map(([, { id, name, pieces }]) => ({ id, name, arguments: pieces.join('') }));
  }
}

const sorted = <T>(byIndex: ReadonlyMap<number, T>): [number, T][] => [...byIndex].sort(([a], [b]) => a - b);
