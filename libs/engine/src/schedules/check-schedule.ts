import { checkTemplate, type PipelineFault, type RunTemplate } from '#libs/domain';
import type { EngineDeps } from '../engine-deps.js';
import { parseCron } from './cron-times.js';

/** What expressions of a schedule are over. */
const SCHEDULE_SCOPE = ['schedule', 'tick'] as const;

export type CheckedSchedule = { ok: true; nextAt: string | null } | { ok: false; faults: PipelineFault[] };

/** Everything that is wrong with a schedule, or its first tick from now on. */
export async function checkSchedule(
  deps: Pick<EngineDeps, 'expressions' | 'pipelines' | 'runs'>,
  given: { projectId: string; cron: string; timezone: string; start: RunTemplate },
): Promise<CheckedSchedule> {
  const faults = [
    ...(await checkStart(deps, given.projectId, given.start, 'start')),
    ...checkRunTemplate(given.start, ['start'], SCHEDULE_SCOPE, deps.expressions),
  ];
  const cron = parseCron(given.cron, given.timezone);
  if (!cron.ok) {
    const expected =
      cron.field === 'cron' ? 'a cron pattern such as "0 9 * * MON-FRI"' : 'a time zone such as "Europe/Berlin"';
    faults.push(fault(cron.field, `${cron.field}_invalid`, given[cron.field], expected, cron.detail));
    return { ok: false, faults };
  }
  const next = cron.times.next(await deps.runs.now());
  if (next === null)
    faults.push(fault('cron', 'cron_never', given.cron, 'a pattern that comes to pass', 'it has no tick from now on'));
  return faults.length > 0 ? { ok: false, faults } : { ok: true, nextAt: next === null ? null : toTime(next) };
}

/** Whether what is to be started exists. */
export async function checkStart(
  deps: Pick<EngineDeps, 'pipelines'>,
  projectId: string,
  start: RunTemplate,
  path: string,
): Promise<PipelineFault[]> {
  if ((await deps.pipelines.getVersion(projectId, start.pipeline, start.version)) !== null) return [];
  const found = start.version === null ? start.pipeline : `${start.pipeline}@${start.version}`;
  return [fault(`${path}.pipeline`, 'unknown_pipeline', found, 'a pipeline of this project', 'apply it first')];
}

export function checkRunTemplate(
  start: RunTemplate,
  path: string[],
  scope: readonly string[],
  expressions: EngineDeps['expressions'],
): PipelineFault[] {
  const { inputs, stream_id, metadata } = start;
  return checkTemplate({ inputs, stream_id, metadata }, path, scope, expressions);
}

export function fault(path: string, code: string, found: string, expected: string, why: string): PipelineFault {
  return {
    path,
    code,
    found,
    expected,
    detail: `${path}: found ${JSON.stringify(found)}, expected ${expected}: ${why}`,
  };
}

/** RFC 3339, UTC. */
export const toTime = (ms: number): string => new Date(ms).toISOString();

/** The next ticks after a time, at most `count`. */
export function upcomingTicks(cron: string, timezone: string, afterMs: number, count: number): string[] {
  const parsed = parseCron(cron, timezone);
  const ticks: string[] = [];
  let at = parsed.ok ? parsed.times.next(afterMs) : null;
  while (parsed.ok && at !== null && ticks.length < count) {
    ticks.push(toTime(at));
    at = parsed.times.next(at);
  }
  return ticks;
}
