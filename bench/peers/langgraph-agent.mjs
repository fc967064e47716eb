// W4 over LangGraph and LangChain's agents, with the PostgresSaver. Variants:
//   react       createReactAgent: every call sees everything
//   agent-sum   createAgent with summarizationMiddleware at the budget, the last 20 messages kept
//   agent-edit  createAgent with contextEditingMiddleware: over the budget old tool results are cleared, the last 10 kept
//   delta       a StateGraph whose messages are stored as deltas
import { MessagesDeltaValue, StateGraph, StateSchema, START, END } from '@langchain/langgraph';
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createAgent, summarizationMiddleware, contextEditingMiddleware, ClearToolUsesEdit } from 'langchain';
import { z } from 'zod';
import pg from 'pg';
import { BUDGET_TOKENS, lookup, modelOf, QUESTION, summary } from './lib/agent-loop.mjs';
import { main, freshDb, pgUrl } from './lib/harness.mjs';

const DB = 'bench_lg_agent';
const tokens = BUDGET_TOKENS;
const tools = [
  tool(async () => lookup(), {
    name: 'lookup',
    description: 'looks an item up',
    schema: z.object({ query: z.string() }),
  }),
];

const AGENTS = {
  react: (model, checkpointer) => createReactAgent({ llm: model, tools, checkpointSaver: checkpointer }),
  'agent-sum': (model, checkpointer) => {
    const trigger = { tokens };
    const options = { model: new SummaryModel(), trigger, keep: { messages: 20 }, trimTokensToSummarize: tokens };
    return createAgent({ model, tools, checkpointer, middleware: [summarizationMiddleware(options)] });
  },
  'agent-edit': (model, checkpointer) => {
    const edits = [new ClearToolUsesEdit({ trigger: { tokens }, keep: { messages: 10 } })];
    return createAgent({ model, tools, checkpointer, middleware: [contextEditingMiddleware({ edits })] });
  },
  delta: (model, checkpointer) =>
    new StateGraph(new StateSchema({ messages: MessagesDeltaValue }))
      .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('tools', new ToolNode(tools))
      .addEdge(START, 'agent')
      .addConditionalEdges('agent', ({ messages }) => (messages.at(-1).tool_calls?.length ? 'tools' : END), [
        'tools',
        END,
      ])
      .addEdge('tools', 'agent')
      .compile({ checkpointer }),
};

main(import.meta.url, {
  name: 'langgraph',
  variants: Object.keys(AGENTS),
  async setup() {
    await freshDb(DB);
    const saver = PostgresSaver.fromConnString(pgUrl(DB));
    await saver.setup();
    await saver.end();
  },
  async worker(variant, ipc) {
    const saver = new PostgresSaver(new pg.Pool({ connectionString: pgUrl(DB), max: 10 }));
    ipc.on('loop', ({ id, n }) => {
      const agent = AGENTS[variant](new AgentModel(id, n), saver);
      const config = { configurable: { thread_id: id }, recursionLimit: 20 * n + 50 };
      agent
        .invoke({ messages: [{ role: 'user', content: QUESTION }] }, config)
        .then(({ messages }) => {
          if (messages.at(-1).content !== 'done') throw new Error(`${variant} ended without its last answer`);
          ipc.done(id);
        })
        .catch((error) => {
          console.error(error);
          process.exit(1);
        });
    });
    return () => saver.end();
  },
  async client(variant, ipc) {
    return { startLoop: (id, n) => ipc.send({ t: 'loop', id, n }), close() {} };
  },
});

const charsOf = (messages) =>
  messages.reduce(
    (sum, { content, tool_calls: calls }) =>
      sum +
      (typeof content === 'string' ? content : JSON.stringify(content)).length +
      (calls?.length ? JSON.stringify(calls).length : 0),
    0,
  );

class AgentModel extends BaseChatModel {
  constructor(id, turns) {
    super({});
    this.answer = modelOf(id, turns);
  }
  _llmType() {
    return 'bench';
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const { content, call } = this.answer(charsOf(messages));
    const tool_calls = call === null ? [] : [{ ...call, type: 'tool_call' }];
    return { generations: [{ message: new AIMessage({ content, tool_calls }), text: '' }] };
  }
}

class SummaryModel extends BaseChatModel {
  constructor() {
    super({});
  }
  _llmType() {
    return 'bench-summary';
  }
  async _generate() {
    return { generations: [{ message: new AIMessage(summary()), text: '' }] };
  }
}
