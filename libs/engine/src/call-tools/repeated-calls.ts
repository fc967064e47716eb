import { canonicalJson, type Content, type ToolCall, type ToolResultStatus } from '#libs/domain';
import { sha256 } from '../new-event.js';

/** The same tool, arguments and result so often in a row: the model is told; twice as often: the step ends. */
export const NOTICE_AFTER = 5;
export const STOP_AFTER = 10;

const NOTICE = '\n[notice: this call has given the same result five times in a row; do something else or answer]';

export type CallResult = { status: ToolResultStatus; content: Content };

/** Names a call with its result: equal for the same tool, arguments and result. */
export function repeatKey(call: ToolCall, { status, content }: CallResult): string {
  const plain = typeof content === 'string' ? content : content.map((part) => ({ ...part }));
  const result = canonicalJson([status, plain]).replaceAll(JSON.stringify(NOTICE).slice(1, -1), '');
  return sha256(canonicalJson([call.name, call.arguments, result]));
}

export function withNotice(content: Content): Content {
  return typeof content === 'string' ? content + NOTICE : [...content, { type: 'text', text: NOTICE }];
}
