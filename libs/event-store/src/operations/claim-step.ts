import type { Claimed } from '#libs/engine';
import type { Session } from '../session.js';
import { claimLease, type LeaseClaim } from './claim-lease.js';
import { LEASED_STEPS } from './leased-table.js';
import { RUN_COLUMNS, runRecord, type RunRow } from './run-row.js';
import { STEP_RUN_COLUMNS, stepRunRecord, type StepRunRow } from './step-run-row.js';

// Both rows come back in one row, told apart by prefixes.
const COLUMNS = [
  ...STEP_RUN_COLUMNS.map((column) => `s.${column} as s_${column}`),
  ...RUN_COLUMNS.map((column) => `r.${column} as r_${column}`),
].join(', ');

export async function claimStep(session: Session, claim: LeaseClaim): Promise<Claimed | null> {
  const [row] = await session<Record<string, unknown>[]>`
    with s as (${claimLease(session, LEASED_STEPS, claim)})
    select ${session.unsafe(COLUMNS)} from s join run r on r.project_id = s.project_id and r.run_id = s.run_id`;
  if (row === undefined) return null;
  const columns = (prefix: string) =>
    Object.fromEntries(
      Object.entries(row).flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
      ),
    );
  // The column lists above make these rows whole.
  return { run: runRecord(columns('r_') as RunRow), step: stepRunRecord(columns('s_') as StepRunRow) };
}
