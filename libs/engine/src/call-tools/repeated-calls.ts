import {
  canonicalJson,
  type Content,
  type EventSubject,
  type StoredEvent,
  type ToolCall,
  type ToolResultStatus,
} from '#libs/domain';

/** The same tool, arguments and result so often in a row: the model is told; twice as often: the step ends. */
export const NOTICE_AFTER = 5;
export const STOP_AFTER = 10;

const NOTICE = '\n[notice: this call has given the same result five times in a row; do something else or answer]';

type Result = { status: ToolResultStatus; content: Content };

/** How often in a row, this one included, the same call had the same result. */
export function countRepeats(
  events: readonly StoredEvent[],
  subject: EventSubject,
  call: ToolCall,
  result: Result,
): number {
  const wanted = resultKey(result);
  const requested = new Map<string, ToolCall>();
  const results: boolean[] = [];
  for (const event of events) {
    if (event.runId !== subject.runId || event.stepId !== subject.stepId || event.item !== subject.item) continue;
    if (event.type === 'ToolCallRequested')
      requested.set(`${event.data.call_no}/${event.data.ordinal}`, event.data.tool_call);
    if (event.type === 'ToolCallCompleted') {
      const earlier = requested.get(`${event.data.call_no}/${event.data.ordinal}`);
      results.push(
        earlier?.name === call.name && earlier.arguments === call.arguments && resultKey(event.data) === wanted,
      );
    }
  }
  const broken = results.lastIndexOf(false);
  return results.length - 1 - broken + 1;
}

export function withNotice(content: Content): Content {
  return typeof content === 'string' ? content + NOTICE : [...content, { type: 'text', text: NOTICE }];
}

function resultKey({ status, content }: Result): string {
  const plain = typeof content === 'string' ? content : content.map((part) => ({ ...part }));
  return canonicalJson([status, plain]).replaceAll(JSON.stringify(NOTICE).slice(1, -1), '');
}
