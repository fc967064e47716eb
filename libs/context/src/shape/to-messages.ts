import type { AssistantPart, ContentPart } from '#libs/domain';
import type { NeutralMessage } from '../neutral.js';
import type { ShapedMessage, ShownItem } from '../view/entry.js';
import type { Repair } from './conversation.js';
import { isReasoning } from './fit-item.js';
import type { FormatProfile } from './formats.js';
import { limitMedia } from './limit-media.js';
import { moveMedia } from './move-media.js';

/** Made up where a format needs a message that no entry gives. Part of every prompt: reword only with a new builder version. */
export const OPENING_MESSAGE = '[earlier messages are not shown]';
export const CLOSING_MESSAGE = '[continue]';
export const ANSWER_BETWEEN = '[no answer: the turn was interrupted]';

type UserItem = Extract<ShownItem, { role: 'user' }>;
type AnswerItem = Extract<ShownItem, { role: 'assistant' }>;
/** What a group of neighbours becomes: one message. */
export type Group = { items: ShownItem[]; isMadeUp: boolean };

/**
 * Fitted items by the message that they become, in order; the linter finds nothing in those messages. `items` are in order and
 * each answer is directly followed by its results. Total and pure. Minted call ids are a function of (answer entry, ordinal, the
 * call itself) and never of the items around it: a build from a part of the history gives the same bytes (law C11), and an id
 * once sent never changes.
 */
export function groupItems(items: readonly ShownItem[], profile: FormatProfile, repairs: Repair[]): Group[] {
  const limited = limitMedia(items, profile, repairs);
  const moved = moveMedia(limited, profile, repairs);
  const split =
    profile.maxCallsPerMessage === null
      ? moved
      : moved.flatMap((item, index) => splitCalls(item, index, moved, profile, repairs));
  return framed(split, profile, repairs);
}

/** Moves the calls beyond the format's limit into messages of their own, each in front of its results. */
function splitCalls(
  item: ShownItem,
  index: number,
  all: readonly ShownItem[],
  profile: FormatProfile,
  repairs: Repair[],
): ShownItem[] {
  const limit = profile.maxCallsPerMessage;
  if (limit === null) return [item];
  if (item.role === 'assistant')
    return item.calls.length <= limit ? [item] : [{ ...item, calls: item.calls.slice(0, limit) }];
  if (item.role !== 'tool' || item.call.ordinal === 0 || item.call.ordinal % limit !== 0) return [item];
  const answer = all
    .slice(0, index)
    .findLast((before): before is AnswerItem => before.role === 'assistant' && before.entry === item.call.entry);
  if (answer === undefined) return [item];
  repairs.push({
    rule: 'calls_split',
    entries: [answer.entry],
    detail: `calls from ${item.call.ordinal} on stand in a message of their own`,
  });
  return [{ ...answer, content: [], calls: answer.calls.slice(item.call.ordinal, item.call.ordinal + limit) }, item];
}

/** Opens with a user message, ends with a user message or a result, and alternates where the format wants it. */
function framed(items: readonly ShownItem[], profile: FormatProfile, repairs: Repair[]): Group[] {
  const groups: Group[] = [];
  const madeUp = (item: ShownItem, rule: Repair['rule'], detail: string): void => {
    groups.push({ items: [item], isMadeUp: true });
    repairs.push({ rule, entries: [], detail });
  };
  if (items[0]?.role !== 'user') madeUp(userItem(OPENING_MESSAGE), 'opening', 'the first entry is not a user message');
  for (const item of items) {
    const last = groups.at(-1);
    const before = last?.items.at(-1);
    if (profile.alternation !== 'free' && last !== undefined && before !== undefined) {
      if (profile.alternation === 'strict' && before.role === 'tool' && item.role === 'user') {
        madeUp(answerItem(ANSWER_BETWEEN), 'answer_between', 'a user message follows a result');
      } else if (before.role === item.role && item.role !== 'tool') {
        repairs.push({
          rule: 'merged',
          entries: item.entry === null ? [] : [item.entry],
          detail: `${item.role} messages in a row`,
        });
        last.items.push(item);
        continue;
      }
    }
    groups.push({ items: [item], isMadeUp: false });
  }
  if (groups.at(-1)?.items.at(-1)?.role === 'assistant')
    madeUp(userItem(CLOSING_MESSAGE), 'closing', 'the last entry is an answer');
  return groups;
}

const text = (value: string): ContentPart => ({ type: 'text', text: value });
const userItem = (value: string): UserItem => ({
  role: 'user',
  entry: null,
  content: [text(value)],
  state: 'whole',
  pinned: false,
});
const answerItem = (value: string): AnswerItem => ({
  role: 'assistant',
  entry: 0,
  model: '',
  content: [{ type: 'text', text: value }],
  calls: [],
  state: 'whole',
});

export function toMessage({ items, isMadeUp }: Group, profile: FormatProfile): ShapedMessage {
  const [first] = items;
  const entries = isMadeUp ? [] : entriesOf(items);
  const synthetic = entries.length === 0;
  if (first !== undefined && items.length === 1) {
    const pinned = first.role === 'user' && first.pinned;
    return { message: messageOf(first, profile), entries, state: first.state, pinned, synthetic };
  }
  const state = items.find((item) => item.state !== 'whole')?.state ?? 'whole';
  const pinned = items.some((item) => item.role === 'user' && item.pinned);
  return { message: mergedMessage(items, profile), entries, state, pinned, synthetic };
}

function entriesOf(items: readonly ShownItem[]): number[] {
  const entries: number[] = [];
  for (const { entry } of items) if (entry !== null) entries.push(entry);
  return entries;
}

function messageOf(item: ShownItem, profile: FormatProfile): NeutralMessage {
  switch (item.role) {
    case 'user':
      return { role: 'user', content: [...item.content] };
    case 'assistant':
      return {
        role: 'assistant',
        content: reasoningInPlace([...item.content], profile),
        tool_calls: [...item.calls],
      };
    case 'tool': {
      const { call, name, status, content } = item;
      const id = profile.callId.mint(call.entry, call.ordinal);
      return { role: 'tool', tool_call_id: id, name, status, content: [...content] };
    }
  }
}

/** Neighbours of one role; results are never merged. */
function mergedMessage(items: readonly ShownItem[], profile: FormatProfile): NeutralMessage {
  const answers = items.filter((item) => item.role === 'assistant');
  if (answers.length === 0)
    return { role: 'user', content: items.flatMap((item) => (item.role === 'user' ? item.content : [])) };
  const content = answers.flatMap((answer) => answer.content);
  return {
    role: 'assistant',
    content: reasoningInPlace(content, profile),
    tool_calls: answers.flatMap((answer) => answer.calls),
  };
}

/** Merged answers may put reasoning behind text; signed blocks come first. */
function reasoningInPlace(parts: AssistantPart[], { reasoning }: FormatProfile): AssistantPart[] {
  const isOutOfPlace =
    reasoning === 'signed' &&
    parts.some((part, at) => isReasoning(part) && at > 0 && !isReasoning(parts[at - 1] ?? part));
  return isOutOfPlace ? [...parts.filter(isReasoning), ...parts.filter((part) => !isReasoning(part))] : parts;
}
