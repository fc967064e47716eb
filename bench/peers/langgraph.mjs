// LangGraph StateGraph + PostgresSaver (pool of 20). It has no queue: the worker process invokes, 20 at a time.
// Variants: durability async (the default: the checkpoint is written while the next step runs), sync, exit (only at the end).
import { StateGraph, Annotation, Send, START, END } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import pg from 'pg';
import { main, noop, freshDb, pgUrl, CONCURRENCY, STEPS, Semaphore } from './lib/harness.mjs';

const DB = 'bench_lg';
main(import.meta.url, {
  name: 'langgraph',
  variants: ['async', 'sync', 'exit'],
  async setup() {
    await freshDb(DB);
    const s = PostgresSaver.fromConnString(pgUrl(DB));
    await s.setup();
    await s.end();
  },
  async worker(v, ipc) {
    const saver = new PostgresSaver(new pg.Pool({ connectionString: pgUrl(DB), max: 20 }));
    const S = Annotation.Root({ id: Annotation(), prev: Annotation() });
    let g = new StateGraph(S);
    for (let i = 1; i <= STEPS; i++) g = g.addNode(`s${i}`, (s) => ({ prev: noop(s.id, i, s.prev) }));
    g.addEdge(START, 's1');
    for (let i = 1; i < STEPS; i++) g.addEdge(`s${i}`, `s${i + 1}`);
    g.addEdge(`s${STEPS}`, END);
    const chain = g.compile({ checkpointer: saver });
    const F = Annotation.Root({
      id: Annotation(),
      n: Annotation(),
      i: Annotation(),
      out: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }),
      joined: Annotation(),
    });
    const fan = new StateGraph(F)
      .addNode('map', () => ({}))
      .addNode('item', (s) => ({ out: [noop(s.id, s.i)] }))
      .addNode('join', (s) => ({ joined: s.out.length }))
      .addEdge(START, 'map')
      .addConditionalEdges('map', (s) => Array.from({ length: s.n }, (_, i) => new Send('item', { id: s.id, i })), [
        'item',
      ])
      .addEdge('item', 'join')
      .addEdge('join', END)
      .compile({ checkpointer: saver });
    const sem = new Semaphore(CONCURRENCY);
    const go = (graph, inp) =>
      sem
        .run(async () => {
          const r = await graph.invoke(inp, {
            configurable: { thread_id: inp.id },
            durability: v,
            maxConcurrency: inp.n ? CONCURRENCY : undefined,
          });
          if (inp.n && r.joined !== inp.n) throw new Error('join');
          ipc.done(inp.id);
        })
        .catch((e) => console.error(e));
    ipc.on('chain', ({ id }) => go(chain, { id }));
    ipc.on('fan', ({ id, n }) => go(fan, { id, n }));
    return () => saver.end();
  },
  async client(v, ipc) {
    return {
      startChain: (id) => ipc.send({ t: 'chain', id }),
      startFan: (id, n) => ipc.send({ t: 'fan', id, n }),
      close() {},
    };
  },
});
