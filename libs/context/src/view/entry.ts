import type { AssistantPart, ContentPart, ToolCall } from '#libs/domain';
import type { NeutralMessage } from '../neutral.js';
import type {
  AssistantEntry,
  ConversationEntry,
  DocumentsEntry,
  FinalStatus,
  MemoryEntry,
  ResultEntry,
  UserEntry,
} from '../shape/conversation.js';

/** Law C4: each entry of a sub-stream is in exactly one of these states in a build; `pinned` is a flag beside it. */
export const ENTRY_STATES = [
  'whole',
  'masked',
  'shortened',
  'elided',
  'summarised',
  'forgotten',
  'truncated',
  'before_cutoff',
  'other_run',
  'repaired_away',
] as const;
export type EntryState = (typeof ENTRY_STATES)[number];

/** States in which something of the entry is in the request. */
export type ShownState = Extract<EntryState, 'whole' | 'masked' | 'shortened'>;

/** What leads to an answer: user messages, documents, memory. */
export type LeadEntry = UserEntry | DocumentsEntry | MemoryEntry;

/**
 * One conversation entry (paired and repaired by `repairConversation`) in its view. A result made up for an unanswered
 * call is one too (`source.entry` null). `turn` is the absolute index, from 0, of the turn it belongs to; leads belong to the
 * turn that follows, so those after the last answer are in the open block, whose index is the number of turns.
 * `exchange` is absolute as well; what stands before the first user message is exchange 0.
 */
export type Entry = { readonly source: ConversationEntry; readonly turn: number; readonly exchange: number };

/** One assistant message with all results that answer it, and what leads to it. */
export type Turn = {
  readonly index: number;
  readonly exchange: number;
  readonly lead: readonly LeadEntry[];
  readonly answer: AssistantEntry;
  /** One for each call, in call order. */
  readonly results: readonly ResultEntry[];
  /** A call has no recorded result and no answer or user message follows. Only the newest turn can be open. */
  readonly open: boolean;
};

/**
 * What the stages hand to shape, in the order in which it is shown; each answer is directly followed by its results.
 * Texts are final (documents and memory fenced, results masked, arguments shortened); shape applies the rules of the
 * format and nothing else.
 */
export type ShownItem =
  | {
      readonly role: 'user';
      /** Null: made by the builder (summary, before_tail memory). */
      readonly entry: number | null;
      readonly content: readonly ContentPart[];
      readonly state: ShownState;
      readonly pinned: boolean;
    }
  | {
      readonly role: 'assistant';
      readonly entry: number;
      readonly model: string;
      /** As the provider gave them; its reasoning is in it whole or not at all. */
      readonly content: readonly AssistantPart[];
      readonly calls: readonly ToolCall[];
      readonly state: ShownState;
    }
  | {
      readonly role: 'tool';
      /** Null: made up for an unanswered call. */
      readonly entry: number | null;
      /** Entry of the answer that made the call, and the call's place in it. */
      readonly call: { readonly entry: number; readonly ordinal: number };
      readonly name: string;
      readonly status: FinalStatus;
      readonly content: readonly ContentPart[];
      readonly state: ShownState;
    };

/** A message of the request with what it was made of; merged neighbours name all their entries. `synthetic`: no entry is in it. */
export type ShapedMessage = {
  readonly message: NeutralMessage;
  readonly entries: readonly number[];
  readonly state: ShownState;
  readonly pinned: boolean;
  readonly synthetic: boolean;
};
