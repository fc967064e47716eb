import type { ReportFault } from './queue-backend.js';

/** An announcement holds for so long after its last repetition: the next message of a chat finds its listener. */
export const LISTENER_HOLDS_S = 60;
/** How long an answer of the server is used again. */
const FRESH_MS = 1000;
/** Of streams; the oldest answers are forgotten first. */
const MOST_KEPT = 10_000;

/** Where it is marked that somebody listens to a stream. */
export type MarkStore = {
  mark(name: string): Promise<void>;
  isMarked(name: string): Promise<boolean>;
};

/** Who listens to which stream, asked before every model call: answers are kept for a moment, faults are reported. */
export class ListenerMarks {
  private readonly answers = new Map<string, { isMarked: boolean; atMs: number }>();

  constructor(
    private readonly store: MarkStore,
    private readonly reportFault: ReportFault,
  ) {}

  async announce(projectId: string, streamId: string): Promise<void> {
    try {
      await this.store.mark(nameOf(projectId, streamId));
    } catch (error) {
      this.reportFault('a listener could not be announced', error);
    }
  }

  async has(projectId: string, streamId: string): Promise<boolean> {
    const name = nameOf(projectId, streamId);
    const kept = this.answers.get(name);
    if (kept !== undefined && Date.now() - kept.atMs < FRESH_MS) return kept.isMarked;
    const isMarked = await this.ask(name);
    this.answers.delete(name);
    this.answers.set(name, { isMarked, atMs: Date.now() });
    const oldest = this.answers.keys().next();
    if (this.answers.size > MOST_KEPT && oldest.done !== true) this.answers.delete(oldest.value);
    return isMarked;
  }

  private async ask(name: string): Promise<boolean> {
    try {
      return await this.store.isMarked(name);
    } catch (error) {
      this.reportFault('it is not known who listens', error);
      return false;
    }
  }
}

const nameOf = (projectId: string, streamId: string): string => `${projectId}:${streamId}`;
