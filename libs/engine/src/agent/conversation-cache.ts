import type { KeptEvents } from '#libs/context';

/** `erasures`: of the sub-stream, before its events were read; null: not known. */
export type KeptConversation = { readonly kept: KeptEvents; readonly erasures: number | null };

/**
 * What this process keeps of conversations between jobs: least recently used go first, beyond `maxBytes` all in all. Whoever
 * takes one has it alone; what it says is checked against the log before it is used, and by every append.
 */
export class ConversationCache {
  private readonly conversations = new Map<string, { one: KeptConversation; bytes: number }>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get size(): { conversations: number; bytes: number } {
    return { conversations: this.conversations.size, bytes: this.bytes };
  }

  take(key: string): KeptConversation | null {
    const found = this.conversations.get(key);
    this.drop(key);
    return found?.one ?? null;
  }

  put(key: string, conversation: KeptConversation): void {
    this.take(key);
    const { bytes } = conversation.kept;
    this.conversations.set(key, { one: conversation, bytes });
    this.bytes += bytes;
    for (const oldest of this.conversations.keys()) {
      if (this.bytes <= this.maxBytes) return;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    this.bytes -= this.conversations.get(key)?.bytes ?? 0;
    this.conversations.delete(key);
  }
}
