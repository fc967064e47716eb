import type { ViewEvent, ViewEventOf } from '#libs/domain';
import type { RecordedBuild } from './recorded-build.js';

type Result = ViewEventOf<'ToolCallCompleted'>;

/** Whoever calls a tool by at most so many chars is shown a placeholder of less than `LEAST_OUTLINED_CHARS`. */
const MOST_NAME_CHARS = 64;

/** Shorter results are read whole: their placeholder might be longer than they are, and then they are not masked. */
export const LEAST_OUTLINED_CHARS = 700;

/**
 * Whether builds that go on from this record make do with the outline of an event: a result behind the mask boundary, of which
 * they show the placeholder whatever else changes. So it is no error (the placeholder would quote it), a text that says
 * something and is sent as it is (as long as it was counted), and shorter than what is cut to its two ends.
 */
export function isOutlineEnough(event: ViewEvent, last: RecordedBuild): event is Result {
  if (event.type !== 'ToolCallCompleted' || event.entry === null || event.entry > last.frontier.mask_to) return false;
  const { status, content } = event.data;
  const isMiddling = event.chars >= LEAST_OUTLINED_CHARS && event.chars <= (last.softCap ?? 0);
  return (
    isMiddling &&
    last.base.shortening === null &&
    status === 'ok' &&
    typeof content === 'string' &&
    /^[!-~]/.test(content)
  );
}

export const outlineOf = (event: Result): Result => ({
  ...event,
  data: { ...event.data, content: '' },
  isOutline: true,
});

/** The outlines among events that the next build would have to be given whole. `isAnew`: its frontier begins anew. */
export function outlinesToRead(events: readonly ViewEvent[], isAnew: boolean): readonly number[] {
  const outlines = events.filter(({ isOutline }) => isOutline === true);
  return outlines.length === 0 || (!isAnew && events.every(hasShortNames)) ? [] : outlines.map(({ seq }) => seq);
}

const hasShortNames = (event: ViewEvent): boolean =>
  event.type !== 'LlmCallCompleted' ||
  event.data.message.tool_calls.every(({ name }) => name.length <= MOST_NAME_CHARS);
