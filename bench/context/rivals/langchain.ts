import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { ClearToolUsesEdit, contextEditingMiddleware, summarizationMiddleware } from 'langchain';
import { countCodePoints, type NeutralMessage } from '../../../libs/context/src/index.js';
import { SUMMARY_INPUT_PRICE, SUMMARY_OUTPUT_PRICE } from '../prices.js';
import { LangChainHistory } from './langchain-messages.js';
import type { Budget, Rival, RivalSession, Setting } from './rival.js';

type Keep = { messages: number } | { tokens: number };

/**
 * What its summariser may read, in chars: all of it, or the middleware's own limit of 4,000 tokens. Where nothing fits that
 * limit no summary is made: a sentence that says so takes the history's place. Such a session is not compared.
 */
const READS = [100_000_000, 16_000];
const NO_SUMMARY = 'Previous conversation was too long to summarize.';

/**
 * LangChain.js `summarizationMiddleware`: its hook before a model call, over a state that keeps what it returns. Tokens are
 * counted in chars; the model writes as many chars as Weir's summariser does.
 */
export const langChainSummarization: Rival = {
  label: 'LangChain summarizationMiddleware',
  keepsMost: false,
  settings: (budget) => {
    const room = budget.chars - budget.headChars;
    const keeps = [
      { messages: 20 },
      ...[0.5, 0.25].map((share) => ({ tokens: Math.max(1, Math.floor(share * room)) })),
    ];
    return keeps.flatMap((keep) =>
      READS.map((reads): Setting => ({
        label: `keep ${JSON.stringify(keep)}, reads ${reads === READS[0] ? 'all' : '4,000 tokens'}`,
        forFuzz: reads === READS[0] && keep === keeps[1],
        start: () => summarization(budget, keep, reads),
      })),
    );
  },
};

function summarization(budget: Budget, keep: Keep, reads: number): RivalSession {
  const history = new LangChainHistory();
  const summariser = new CountingModel(budget.summaryChars);
  const middleware = summarizationMiddleware({
    model: summariser.model,
    trigger: { tokens: budget.chars - budget.headChars + 1 },
    keep,
    tokenCounter: (messages: BaseMessage[]) => history.chars(messages),
    trimTokensToSummarize: reads,
  });
  const hook = middleware.beforeModel;
  if (typeof hook !== 'function') throw new TypeError('summarizationMiddleware has no beforeModel function');
  let state: BaseMessage[] = [];
  let taken = 0;
  return {
    next: async (all) => {
      state = [...state, ...all.slice(taken).map((message) => history.theirs(message))];
      taken = all.length;
      // The runtime of a graph is not needed: the hook reads overrides of its settings from it.
      const update = await hook({ messages: state }, { context: {} } as never);
      const messages = messagesOf(update);
      // [RemoveMessage(all), summary, …kept]: what the state holds from here on.
      if (messages !== null) state = messages.slice(1);
      const isLost = state[0]?.text.includes(NO_SUMMARY) === true;
      const sent = state.map((message) => history.neutral(message));
      return { messages: sent, charged: summariser.takeCharge(), ...(isLost ? { isLost } : {}) };
    },
  };
}

function messagesOf(update: unknown): BaseMessage[] | null {
  if (typeof update !== 'object' || update === null || !('messages' in update)) return null;
  return Array.isArray(update.messages) ? (update.messages as BaseMessage[]) : null;
}

/** Writes texts of one length and keeps account of what it read and wrote. */
class CountingModel {
  readonly model: FakeListChatModel;
  private charge = 0;

  constructor(summaryChars: number) {
    const text = 'A fact, as it was found. '.repeat(Math.ceil(summaryChars / 25)).slice(0, summaryChars);
    this.model = new FakeListChatModel({ responses: [text] });
    this.model.invoke = (input: unknown) => {
      this.charge += SUMMARY_INPUT_PRICE * countCodePoints(String(input)) + SUMMARY_OUTPUT_PRICE * summaryChars;
      return Promise.resolve(new AIMessage(text)) as never;
    };
  }

  takeCharge(): number {
    const { charge } = this;
    this.charge = 0;
    return charge;
  }
}

/** LangChain.js `contextEditingMiddleware` with `ClearToolUsesEdit`. */
export const langChainContextEditing: Rival = {
  label: 'LangChain contextEditingMiddleware',
  keepsMost: false,
  settings: (budget) => {
    const keeps = [{ messages: 3 }, { messages: 10 }, { tokens: Math.max(1, Math.floor(0.25 * budget.chars)) }];
    return keeps.map((keep): Setting => ({
      label: `keep ${JSON.stringify(keep)}`,
      forFuzz: keep === keeps[0],
      start: () => contextEditing(budget, keep),
    }));
  },
};

/** The middleware edits the array that it is given, which is the agent's state: what it cleared stays cleared. */
function contextEditing(budget: Budget, keep: Keep): RivalSession {
  const history = new LangChainHistory();
  const edit = new ClearToolUsesEdit({
    trigger: { tokens: budget.chars - budget.headChars + 1 },
    keep,
    clearToolInputs: false,
  });
  const middleware = contextEditingMiddleware({ edits: [edit], tokenCountMethod: 'model' });
  const wrap = middleware.wrapModelCall;
  if (typeof wrap !== 'function') throw new TypeError('contextEditingMiddleware has no wrapModelCall function');
  const model = {
    getNumTokensFromMessages: (messages: BaseMessage[]) => Promise.resolve({ totalCount: history.chars(messages) }),
  };
  let state: BaseMessage[] = [];
  let taken = 0;
  return {
    next: async (all): Promise<{ messages: NeutralMessage[]; charged: number }> => {
      state = [...state, ...all.slice(taken).map((message) => history.theirs(message))];
      taken = all.length;
      await wrap({ messages: state, model, systemPrompt: '' } as never, () => Promise.resolve(new AIMessage('')));
      return { messages: state.map((message) => history.neutral(message)), charged: 0 };
    },
  };
}
