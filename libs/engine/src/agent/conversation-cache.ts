import type { KeptEvents } from '#libs/context';

/**
 * What this process keeps of conversations between jobs: least recently used go first, beyond `maxBytes` all in all. Whoever
 * takes one has it alone; what it says is checked against the log before it is used, and by every append.
 */
export class ConversationCache {
  private readonly conversations = new Map<string, KeptEvents>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get size(): { conversations: number; bytes: number } {
    return { conversations: this.conversations.size, bytes: this.bytes };
  }

  take(key: string): KeptEvents | null {
    const kept = this.conversations.get(key) ?? null;
    if (kept !== null) this.drop(key, kept);
    return kept;
  }

  put(key: string, kept: KeptEvents): void {
    this.take(key);
    this.conversations.set(key, kept);
    this.bytes += kept.bytes;
    for (const [oldest, one] of this.conversations) {
      if (this.bytes <= this.maxBytes) return;
      this.drop(oldest, one);
    }
  }

  private drop(key: string, kept: KeptEvents): void {
    this.conversations.delete(key);
    this.bytes -= kept.bytes;
  }
}
