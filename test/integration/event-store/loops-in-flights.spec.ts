import fc from 'fast-check';
import { decideItems, type ForEachStep, type ItemStatus, type ItemsDecision, type Json } from '#libs/domain';
import type { NewStepRun, RunTransaction, RunWork } from '#libs/engine';
import { connect, postgresRunStore, type Database } from '#libs/event-store';
import { createTestDatabase, type TestDatabase } from '../../support/index.js';
import { newRun, newStep, PROJECT, seedProject } from './seed.js';

/** Elements of loops end and begin in flights as they do in transactions of their own. */
let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  db = connect({ url: database.url, poolSize: 5 });
  await seedProject(db);
}, 60_000);

afterAll(async () => {
  await db.close();
  await database.drop();
});

type Element = { value: Json; status: ItemStatus; hasBegun: boolean };
type Loop = { runId: string; stepRunId: string; steps: Map<number, string> };

/** A run that waits in a loop; each element that runs, or waits after it has begun, has a step. `others`: steps beside it. */
async function loopOf(elements: readonly Element[], others = 0): Promise<Loop> {
  const runs = postgresRunStore(db);
  const run = newRun();
  const each = newStep(run.runId, { stepId: 'each', kind: 'for_each', status: 'waiting' });
  const steps = new Map<number, NewStepRun>();
  for (const [item, { status, hasBegun }] of elements.entries())
    if (status === 'running' || (status === 'pending' && hasBegun))
      steps.set(item, newStep(run.runId, { stepId: 'work', item }));
  const beside = Array.from({ length: others }, () => newStep(run.runId));
  await runs.transact(async (tx) => {
    await tx.insertRun(run);
    await tx.insertStepRuns(PROJECT, [each, ...steps.values(), ...beside]);
    await tx.insertItems(
      { projectId: PROJECT, stepRunId: each.stepRunId },
      elements.map(({ value }) => value),
    );
  });
  await db.sql`update step_run set status = 'running', fence = 1 where run_id = ${run.runId} and step_id = 'work'`;
  for (const [item, { status, hasBegun }] of elements.entries())
    await db.sql`
      update step_item set status = ${status}, started_at = case when ${hasBegun} then now() end
      where step_run_id = ${each.stepRunId} and item = ${item}`;
  const ids = [...steps].map(([item, { stepRunId }]) => [item, stepRunId] as const);
  return { runId: run.runId, stepRunId: each.stepRunId, steps: new Map(ids) };
}

const body = [{ stepIds: ['work'], round: 0 }];

const workOn = ({ runId, stepRunId, steps }: Loop, item: number, maxParallel: number): RunWork => ({
  ...{ projectId: PROJECT, runId, stepRunId: steps.get(item) ?? null, seen: null },
  places: [{ stepIds: ['work'], item, round: 0 }],
  items: [{ stepRunId, item, maxParallel, body }],
});

type Ending = { item: number; fails: boolean };
type Outcome = { decision: ItemsDecision['next']; begun: { item: number; value: Json; steps: number }[] };

/** As the engine ends an element and begins the next ones. */
async function end(tx: RunTransaction, loop: Loop, { item, fails }: Ending, step: ForEachStep): Promise<Outcome> {
  const key = { projectId: PROJECT, stepRunId: loop.stepRunId };
  await tx.lockRun(PROJECT, loop.runId);
  const error = fails ? { code: 'c', detail: 'd', step_id: null } : null;
  await tx.endItem(key, { item, status: fails ? 'failed' : 'succeeded', output: { item }, error });
  const decision = decideItems(step, await tx.countItems(key, step.maxParallel));
  const begun: Outcome['begun'] = [];
  for (const next of decision.next === 'start' ? await tx.startItems(key, decision.count) : []) {
    const rows = await tx.stepRunsAt(PROJECT, loop.runId, { stepIds: ['work'], item: next, round: 0 });
    begun.push({ item: next, value: (await tx.itemValue(key, next))?.value ?? null, steps: rows.length });
  }
  return { decision: decision.next, begun };
}

const rowsOf = ({ stepRunId }: Loop) =>
  db.sql`
    select item, status, output, error, started_at is null as fresh, ended_at is null as open
    from step_item where step_run_id = ${stepRunId} order by item`.then((rows) => rows.map((row) => ({ ...row })));

const stepOf = (maxParallel: number, onItemFailure: ForEachStep['onItemFailure']): ForEachStep =>
  ({
    ...{
      kind: 'for_each',
      id: 'each',
      dependsOn: [],
      when: null,
      continueOnError: false,
      timeoutMs: null,
      retry: null,
    },
    ...{ forEach: '', maxParallel, onItemFailure, body: { steps: [], output: null } },
  }) as unknown as ForEachStep;

/** What has begun is in front of what waits. */
const elements = fc
  .record({
    begun: fc.array(fc.constantFrom<ItemStatus>('running', 'succeeded', 'failed', 'running'), {
      minLength: 1,
      maxLength: 8,
    }),
    waiting: fc.array(fc.boolean(), { maxLength: 8 }),
    values: fc.array(fc.constantFrom<Json>('a\u0000b', '\ud800', 7, null, { deep: ['x'] }), {
      minLength: 16,
      maxLength: 16,
    }),
  })
  .filter(({ begun }) => begun.includes('running'))
  .map(({ begun, waiting, values }) =>
    [
      ...begun.map((status) => ({ status, hasBegun: true })),
      ...waiting.map((hasBegun) => ({ status: 'pending' as const, hasBegun })),
    ].map((element, item) => ({ ...element, value: values[item] ?? null })),
  );

it('are decided by what is read along as by the database', async () => {
  const runs = postgresRunStore(db);
  await fc.assert(
    fc.asyncProperty(
      elements,
      fc.array(fc.record({ pick: fc.nat(), fails: fc.boolean() }), { minLength: 1, maxLength: 5 }),
      fc.nat(3),
      fc.constantFrom<ForEachStep['onItemFailure']>('fail', 'continue'),
      fc.constantFrom(0, 70),
      async (given, picks, room, onItemFailure, others) => {
        const running = given.flatMap(({ status }, item) => (status === 'running' ? [item] : []));
        const step = stepOf(running.length + room, onItemFailure);
        const endings: Ending[] = [];
        for (const { pick, fails } of picks) {
          const [item] = running.splice(pick % Math.max(running.length, 1), 1);
          if (item !== undefined) endings.push({ item, fails });
        }
        const [flown, alone] = [await loopOf(given, others), await loopOf(given, others)];
        const inFlight = await Promise.all(
          endings.map((ending) =>
            runs.transactRun(workOn(flown, ending.item, step.maxParallel), (tx) => end(tx, flown, ending, step)),
          ),
        );
        const byThemselves: Outcome[] = [];
        for (const ending of endings) byThemselves.push(await runs.transact((tx) => end(tx, alone, ending, step)));
        expect(inFlight).toEqual(byThemselves);
        expect(await rowsOf(flown)).toEqual(await rowsOf(alone));
      },
    ),
    { numRuns: 40 },
  );
}, 120_000);

it.each([0, 70])('and written with everything else, in a run of %i steps beside them', async (others) => {
  const runs = postgresRunStore(db);
  const many = Array.from({ length: 30 }, (_, item): Element => {
    const hasBegun = item < 4;
    return { value: item, status: hasBegun ? 'running' : 'pending', hasBegun };
  });
  const loop = await loopOf(many, others);
  const statements: string[] = [];
  db.sql.options.debug = (_connection, text) => void statements.push(text);
  const outcomes = await Promise.all(
    [0, 1, 2].map((item) =>
      runs.transactRun(workOn(loop, item, 4), (tx) => end(tx, loop, { item, fails: false }, stepOf(4, 'fail'))),
    ),
  );
  db.sql.options.debug = false;
  expect(outcomes.map(({ begun }) => begun)).toEqual([4, 5, 6].map((item) => [{ item, value: item, steps: 0 }]));
  expect(statements.filter((text) => text.includes('step_item') && !text.includes('hasBegun'))).toEqual([]);
  // The beginning, the locks, steps, loops, what was decided, the end.
  expect(statements).toHaveLength(6);
  expect((await rowsOf(loop)).filter(({ status }) => status === 'running')).toHaveLength(4);
});
