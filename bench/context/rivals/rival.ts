import type { NeutralMessage, NeutralRequest } from '../../../libs/context/src/index.js';

/** What stands in front of the messages, the same for all: system prompt and tools. */
export type Head = Pick<NeutralRequest, 'system' | 'tools'>;

/**
 * What one call sends, and what was paid for it beside the request itself: the summariser's own calls, in char units. `isLost`:
 * history was removed and no summary stands for it.
 */
export type Sent = { messages: readonly NeutralMessage[]; charged: number; isLost?: boolean };

/** One conversation under a rival; `next` is asked before each call, with all messages so far, as they were recorded. */
export type RivalSession = { next: (history: readonly NeutralMessage[]) => Promise<Sent> };

/** One way to set a rival. The cheapest of them that keeps to the budget counts for it. */
export type Setting = {
  label: string;
  /** The one that random streams are sent through. */ forFuzz?: boolean;
  start: (head: Head) => RivalSession;
};

/** Chars that a request may have, of them what the head has, and what a summariser writes. */
export type Budget = { chars: number; headChars: number; summaryChars: number };

export type Rival = {
  label: string;
  /** It has no trigger, so what it keeps is set by the budget alone: its settings stand from the one that keeps most. */
  keepsMost: boolean;
  settings: (budget: Budget) => Setting[];
};
