import { isInView, type ViewSpec } from '#libs/context';
import type { Content } from '#libs/domain';
import type { ReadLog, SubStream } from '../agent/read-kept-events.js';

/** The whole content behind `#entry`: a tool result or documents of this conversation. */
export async function readResult(
  log: ReadLog,
  place: SubStream,
  view: ViewSpec,
  entry: number,
): Promise<Content | null> {
  // An entry never stands before the seq of the same number.
  const [found] = await log.read({ ...place, afterSeq: entry - 1, entry, limit: 1 });
  if (found === undefined || !isInView(view, found)) return null;
  return found.type === 'ToolCallCompleted' || found.type === 'DocumentsProvided' ? found.data.content : null;
}
