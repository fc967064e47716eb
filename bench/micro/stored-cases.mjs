// Hot paths that end in Postgres, each beside bare SQL on the same connections.
import { PROJECT, composed, sources, starter } from '../peers/lib/weir-app.mjs';
import { lookup } from '../peers/lib/agent-loop.mjs';

const AT_ONCE = 20;
const result = (n) => ({
  call_no: n,
  ordinal: 0,
  tool_call_id: `call_${n}`,
  name: 'lookup',
  status: 'ok',
  content: lookup(),
  argument: null,
});

/** `make` prepares what `run` is timed with. */
export async function storedCases() {
  const { runtime, close } = await composed();
  const { engine, database } = runtime;
  const { newEvent, runStepJob } = await sources('libs/engine/src/index.ts');
  const start = await starter(engine);
  await database.run(
    (sql) =>
      sql`create table bare (id integer generated always as identity primary key, status text not null, data jsonb)`,
  );
  const unitOf = (n, streamId) => {
    const subject = { runId: 'run_micro', stepId: 'work', item: null, round: 0, streamId };
    const event = newEvent((value) => value, subject, 'ToolCallCompleted', [streamId, n], result(n));
    return { projectId: PROJECT, streamId, events: [event] };
  };
  const insert = (sql, data) =>
    sql`insert into bare (status, data) values ('queued', (${JSON.stringify(data)}::text)::jsonb)`;
  const queuedStep = async (pipeline) => {
    const runId = await start(pipeline, { id: 'micro' });
    const [step] = await database.run(
      (sql) => sql`select step_run_id, dispatch_no from step_run where run_id = ${runId} and status = 'queued'`,
    );
    return { stepRunId: step.step_run_id, dispatchNo: step.dispatch_no };
  };
  const cases = [
    {
      name: 'append',
      bare: 'an INSERT of the same JSON',
      make: (n) => ({ unit: unitOf(n, 'micro'), data: result(n) }),
      run: ({ unit }) => engine.log.append([unit]),
      runBare: ({ data }) => database.run((sql) => insert(sql, data)),
    },
    {
      name: `append, ${AT_ONCE} streams at once`,
      bare: `${AT_ONCE} INSERTs at once`,
      make: (n) => Array.from({ length: AT_ONCE }, (_, at) => ({ unit: unitOf(n, `micro-${at}`), data: result(n) })),
      run: (all) => Promise.all(all.map(({ unit }) => engine.log.append([unit]))),
      runBare: (all) => Promise.all(all.map(({ data }) => database.run((sql) => insert(sql, data)))),
    },
    {
      name: 'claim',
      bare: 'UPDATE … RETURNING by its key',
      make: async (n) => ({ n, step: await queuedStep('one') }),
      run: ({ step }) => engine.runs.claimStep({ ...step, workerId: 'micro', leaseMs: 60_000, workerBytes: 0 }),
      runBare: ({ n }) =>
        database.run(
          (sql) => sql`update bare set status = 'running' where id = ${n + 1} and status = 'queued' returning *`,
        ),
    },
    {
      name: 'claim, call, complete and advance',
      bare: 'two transactions: UPDATE; SELECT for update, 2 INSERTs, UPDATE',
      make: async (n) => ({ n, step: await queuedStep('chain') }),
      run: ({ step }) => runStepJob(engine, step),
      runBare: async ({ n }) => {
        await database.run((sql) => sql`update bare set status = 'running' where id = ${n + 1} returning *`);
        await database.sql.begin(async (sql) => {
          await sql`select from bare where id = ${n + 1} for update`;
          await insert(sql, { n });
          await insert(sql, { n });
          await sql`update bare set status = 'done' where id = ${n + 1}`;
        });
      },
    },
  ];
  return { cases, close };
}
