import type { KeptEvents } from '#libs/context';

/** `erasures`: of the sub-stream, before its events were read; null: not known. */
export type KeptConversation = { readonly kept: KeptEvents; readonly erasures: number | null };

/**
 * What this process keeps of conversations between jobs: least recently used go first, beyond `maxBytes` all in all. Whoever
 * takes one has it alone; what it says is checked against the log before it is used, and by every append.
 */
export class ConversationCache {
  private readonly conversations = new Map<string, KeptConversation>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get size(): { conversations: number; bytes: number } {
    return { conversations: this.conversations.size, bytes: this.bytes };
  }

  take(key: string): KeptConversation | null {
    const found = this.conversations.get(key) ?? null;
    if (found !== null) this.drop(key, found);
    return found;
  }

  put(key: string, conversation: KeptConversation): void {
    this.take(key);
    this.conversations.set(key, conversation);
    this.bytes += conversation.kept.bytes;
    for (const [oldest, one] of this.conversations) {
      if (this.bytes <= this.maxBytes) return;
      this.drop(oldest, one);
    }
  }

  private drop(key: string, { kept }: KeptConversation): void {
    this.conversations.delete(key);
    this.bytes -= kept.bytes;
  }
}
