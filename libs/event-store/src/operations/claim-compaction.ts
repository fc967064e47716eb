import type { CompactionRecord } from '#libs/engine';
import type { Session } from '../session.js';
import { claimLeases, type LeaseClaim } from './claim-lease.js';
import { COMPACTION_COLUMNS, compactionRecord, type CompactionRow } from './compaction-row.js';
import { LEASED_COMPACTIONS } from './leased-table.js';

export async function claimCompaction(session: Session, claim: LeaseClaim): Promise<CompactionRecord | null> {
  const [row] = await session<CompactionRow[]>`
    with ${claimLeases(session, LEASED_COMPACTIONS, [claim])} select ${session(COMPACTION_COLUMNS)} from claimed`;
  return row === undefined ? null : compactionRecord(row);
}
