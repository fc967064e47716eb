import type { EngineDeps } from '../engine-deps.js';
import type { CallPosition } from '../ports/model.port.js';

export type DeltaPublisher = {
  onDelta: (text: string) => void;
  /** Publishes the rest; resolves when all was handed over. */
  end: () => Promise<void>;
};

/** Tokens come faster than anybody reads: what came within this time goes out as one. */
const FLUSH_MS = 40;

/** What hands a call's text on as it comes; null when nobody listens to the stream, so that the model need not stream. */
export async function deltaPublisher(
  { wakeups, redact }: Pick<EngineDeps, 'wakeups' | 'redact'>,
  { projectId, streamId, runId, stepId, item, callNo }: CallPosition,
): Promise<DeltaPublisher | null> {
  if (!(await wakeups.hasListener(projectId, streamId))) return null;
  let pending = '';
  let timer: NodeJS.Timeout | null = null;
  let published = Promise.resolve();
  const flush = (): void => {
    timer = null;
    if (pending === '') return;
    const redacted = redact(pending);
    pending = '';
    const text = typeof redacted === 'string' ? redacted : '';
    // One after the other: order is all that a listener has.
    published = published.then(() => wakeups.publishDelta({ runId, stepId, item, callNo, text }));
  };
  return {
    onDelta: (text) => {
      pending += text;
      timer ??= setTimeout(flush, FLUSH_MS);
    },
    end: () => {
      if (timer !== null) clearTimeout(timer);
      flush();
      return published;
    },
  };
}
