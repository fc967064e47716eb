import type { Content, StoredEvent } from '#libs/domain';

/** The whole content behind `#entry`: a tool result or documents of this conversation. */
export function readResult(events: readonly StoredEvent[], entry: number): Promise<Content | null> {
  const found = events.find((event) => event.entry === entry);
  const content =
    found?.type === 'ToolCallCompleted' || found?.type === 'DocumentsProvided' ? found.data.content : null;
  return Promise.resolve(content);
}
