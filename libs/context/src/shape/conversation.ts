import type { AssistantPart, ContentPart, Json, ToolCall, ToolResultStatus } from '#libs/domain';

/** A result's status once the call has ended. */
export type FinalStatus = Exclude<ToolResultStatus, 'pending'>;

/** What every entry carries of its event. `seq` is the event's; `chars` as stored at append. */
type EntryOrigin = { entry: number; seq: number; runId: string | null; chars: number };

export type UserEntry = EntryOrigin & {
  kind: 'user';
  origin: 'task' | 'user' | 'import';
  injected: boolean;
  reissued: boolean;
  content: ContentPart[];
};
export type DocumentsEntry = EntryOrigin & { kind: 'documents'; name: string | null; content: ContentPart[] };
export type MemoryEntry = EntryOrigin & { kind: 'memory'; memory: { [key: string]: Json }; memorySeq: number };
/** One answer of a model: it begins a turn. `calls[ordinal]` is answered by exactly one ResultEntry, which follows it. */
export type AssistantEntry = EntryOrigin & {
  kind: 'assistant';
  callNo: number;
  model: string;
  content: AssistantPart[];
  calls: ToolCall[];
};
/**
 * The result of one call. `entry` and `seq` are null where the repair made it up; `call.entry` is the entry of the
 * answer that made the call, so (call.entry, call.ordinal) is the call's identity. The provider's id is not: it repeats.
 */
export type ResultEntry = Omit<EntryOrigin, 'entry' | 'seq'> & {
  kind: 'result';
  entry: number | null;
  seq: number | null;
  call: { entry: number; ordinal: number };
  name: string;
  status: FinalStatus;
  content: ContentPart[];
  /** Its content was not read. */
  isOutline: boolean;
  argument: string | null;
};
export type ConversationEntry = UserEntry | DocumentsEntry | MemoryEntry | AssistantEntry | ResultEntry;

/** One repair, for the report. `entries` are the entries concerned; empty where something was made up. */
export type Repair = { rule: RepairRule; entries: number[]; detail: string };
export type RepairRule =
  | 'erased'
  | 'unanswered_call'
  | 'late_result'
  | 'duplicate_result'
  | 'orphan_result'
  | 'empty_answer'
  | 'failed_answer'
  | 'cut_calls'
  | 'call_name'
  | 'arguments'
  | 'malformed_text'
  | 'blank_text'
  | 'empty_content'
  | 'reasoning_dropped'
  | 'reasoning_first'
  | 'part_described'
  | 'part_moved'
  | 'calls_split'
  | 'merged'
  | 'opening'
  | 'closing'
  | 'answer_between';

/** An entry that no model sees, with the rule that left it out (state `repaired_away`). */
export type LeftOut = { entry: number; rule: RepairRule };

export type RepairedConversation = { entries: ConversationEntry[]; leftOut: LeftOut[]; repairs: Repair[] };
