import type { Api } from '#libs/client';
import { excerpt } from '../terminal/excerpt.js';
import { clock, whole } from '../terminal/numbers.js';
import type { Style } from '../terminal/style.js';

type Event = Api['Event'];
type Data = { [key: string]: unknown };

/** One line for one event: when, where, what. */
export function eventText(event: Event, style: Style): string {
  const place =
    event.step_id === null ? 'run' : event.item === null ? event.step_id : `${event.step_id}[${event.item}]`;
  const detail = event.data === null ? style('dim', '(content withheld)') : detailOf(event.type, event.data);
  const line = [
    style('dim', clock(event.recorded_at)),
    place.padEnd(12),
    style(formatOf(event.type), event.type.padEnd(20)),
    detail,
  ];
  return line.join('  ').trimEnd();
}

function formatOf(type: string): Parameters<Style>[0] {
  if (/(Failed|TimedOut|DeadLettered|Exceeded|Expired)$/.test(type)) return 'red';
  if (/(Succeeded|Compacted)$/.test(type)) return 'green';
  if (/^(Llm|Tool)/.test(type)) return 'cyan';
  if (/(Waiting|Cancelled|Retry|Interrupted)/.test(type)) return 'yellow';
  return 'reset';
}

const details: { [type: string]: (data: Data) => string } = {
  RunCreated: (data) => nameAndVersion(data['pipeline']),
  RunSucceeded: (data) => value(data['output']),
  StepStarted: (data) =>
    `attempt ${value(data['attempt'])}${data['context_mode'] === null ? '' : `, ${value(data['context_mode'])}`}`,
  StepWaiting: (data) => `for ${value(data['reason'])}`,
  StepSucceeded: (data) => value(data['output']),
  StepSkipped: (data) => value(data['reason']),
  UserMessageReceived: (data) => value(data['content']),
  DocumentsProvided: (data) => value(data['content']),
  LlmCallStarted: (data) =>
    `#${value(data['call_no'])} ${value(data['model'])}, ${messages(data['message_count'])}, ${number(data['approx_context_chars'])} chars`,
  LlmCallCompleted: (data) => `#${value(data['call_no'])} ${answer(data)}`,
  LlmCallFailed: (data) => `#${value(data['call_no'])} ${value(data['class'])}: ${value(data['detail'])}`,
  ToolCallRequested: (data) => toolCall(data['tool_call']),
  ToolCallStarted: (data) => value(data['name']),
  ToolCallCompleted: (data) => `${value(data['name'])} → ${value(data['status'])}: ${value(data['content'])}`,
  ApprovalRequested: (data) => `${value(data['approval_id'])} ${value(data['prompt'])}`,
  ApprovalDecided: (data) => `${value(data['approval_id'])} ${value(data['decision'])}`,
  SignalReceived: (data) => `${value(data['signal'])} ${value(data['key'])}`,
  ContextCompacted: (data) => `${number(data['chars_before'])} → ${number(data['chars_after'])} chars`,
  MemoryWritten: (data) => `${value(data['key'])} = ${value(data['value'])}`,
  MemoryDeleted: (data) => value(data['key']),
};

function detailOf(type: string, data: Data): string {
  const own = details[type]?.(data);
  if (own !== undefined) return own;
  const { error } = data;
  if (isData(error)) return `${value(error['code'])}: ${value(error['detail'])}`;
  return '';
}

function answer(data: Data): string {
  const usage = isData(data['usage'])
    ? ` (${number(data['usage']['input_tokens'])} → ${number(data['usage']['output_tokens'])} tokens)`
    : '';
  const message = isData(data['message']) ? data['message'] : {};
  const parts = Array.isArray(message['content']) ? message['content'].filter(isData) : [];
  const text = parts
    .flatMap((part) => (typeof part['text'] === 'string' && part['type'] === 'text' ? [part['text']] : []))
    .join(' ');
  return `${value(data['finish_reason'])}${usage}${text === '' ? '' : `: ${excerpt(text, 100)}`}`;
}

function toolCall(call: unknown): string {
  return isData(call) ? `${value(call['name'])}(${value(call['arguments'])})` : '';
}

function nameAndVersion(pipeline: unknown): string {
  return isData(pipeline) ? `${value(pipeline['name'])}@${value(pipeline['version'])}` : '';
}

function number(data: unknown): string {
  return typeof data === 'number' ? whole(data) : value(data);
}

const messages = (count: unknown): string => `${number(count)} message${count === 1 ? '' : 's'}`;

function value(data: unknown): string {
  if (data === null || data === undefined) return '';
  return excerpt(typeof data === 'string' ? data : JSON.stringify(data), 100);
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
