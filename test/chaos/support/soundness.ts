import { rootStreamId } from '../../../libs/domain/src/index.js';
import { reviewCalls } from '../../../libs/engine/src/index.js';
import { expectRunEqualsEvents } from '../../support/projections.js';
import { PROJECT, type Deployment } from './deployment.js';

/**
 * What must hold after every disturbance, whatever it was: all runs ended, sequences without gaps, nothing claimed twice,
 * one result for each tool call and one answer for each model call, rows as the events tell, contexts that rebuild to their
 * hashes and that the linter passes.
 */
export async function expectSound(deployment: Deployment, runIds: readonly string[]): Promise<void> {
  await expectSoundRows(deployment);
  await expectRunsSound(deployment, runIds);
}

/** The part that reads every event of a run again. */
export async function expectRunsSound(deployment: Deployment, runIds: readonly string[]): Promise<void> {
  const { stored } = deployment;
  await inParallel(runIds, (runId) => expectRunEqualsEvents(stored, PROJECT, runId));
  await expectSoundContexts(deployment, runIds);
}

/** The part that is one question about all rows. */
export async function expectSoundRows({ database: { sql } }: Deployment): Promise<void> {
  const open = await sql`select run_id, status from run where ended_at is null limit 5`;
  expect([...open]).toEqual([]);

  const gaps = await sql`
    select s.stream_id, s.version, count(e.seq) as events, max(e.seq) as last
    from stream s left join event e using (project_id, stream_id)
    group by s.project_id, s.stream_id, s.version
    having count(e.seq) <> s.version or coalesce(max(e.seq), 0) <> s.version limit 5`;
  expect([...gaps]).toEqual([]);

  // A dispatch number may be claimed once: whoever comes later needs another one.
  const claimedTwice = await sql`
    select run_id, step_id, item, starts, dispatch_no from step_run where starts > dispatch_no limit 5`;
  expect([...claimedTwice]).toEqual([]);
  const startedTwice = await sql`
    select run_id, step_id, item, round, data->>'start' as start from event where type = 'StepStarted'
    group by run_id, step_id, item, round, data->>'start' having count(*) > 1 limit 5`;
  expect([...startedTwice]).toEqual([]);

  const answers = await sql`
    select stream_id, run_id, data->>'call_no' as call from event where type = 'LlmCallCompleted'
    group by stream_id, run_id, data->>'call_no' having count(*) > 1 limit 5`;
  expect([...answers]).toEqual([]);
  const results = await sql`
    select asked.stream_id, asked.run_id, asked.data->>'call_no' as call, asked.data->>'ordinal' as ordinal, count(told.seq) as results
    from event asked
    join run on run.run_id = asked.run_id and run.status = 'succeeded'
    left join event told on told.project_id = asked.project_id and told.stream_id = asked.stream_id
      and told.run_id = asked.run_id and told.type = 'ToolCallCompleted' and told.data->>'status' <> 'pending'
      and told.data->'call_no' = asked.data->'call_no' and told.data->'ordinal' = asked.data->'ordinal'
    where asked.type = 'ToolCallRequested'
    group by 1, 2, 3, 4 having count(told.seq) <> 1 limit 5`;
  expect([...results]).toEqual([]);
}

async function expectSoundContexts(
  { database: { sql }, stored }: Deployment,
  runIds: readonly string[],
): Promise<void> {
  const streams = await sql<{ stream_id: string }[]>`
    select distinct stream_id from event where type = 'LlmCallStarted' and run_id = any(${[...runIds]})`;
  await inParallel(streams, async ({ stream_id: subStream }) => {
    const question = { projectId: PROJECT, rootStream: rootStreamId(subStream), subStream };
    const { calls } = await reviewCalls(stored, question);
    const faults = calls.filter(({ verdict, line }) => verdict !== 'equal' || line === null || line.lint.length > 0);
    expect({ subStream, faults }).toEqual({ subStream, faults: [] });
  });
}

const AT_ONCE = 4;

async function inParallel<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...list];
  const lane = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
