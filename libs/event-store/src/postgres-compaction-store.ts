import type { CompactionJob, CompactionStore } from '#libs/engine';
import type { Database } from './connect.js';
import { claimCompaction } from './operations/claim-compaction.js';
import { findDispatched, redispatch, redispatchAll, takeRunnable, undispatch } from './operations/dispatch.js';
import {
  findCachedSummary,
  findCompaction,
  findExpiredCompactions,
  findWaitersOfEndedCompactions,
} from './operations/find-compaction.js';
import { keepSummary } from './operations/keep-summary.js';
import { LEASED_COMPACTIONS, type Dispatch } from './operations/leased-table.js';
import { recordCompactionCall } from './operations/record-compaction-call.js';
import { renewLeases } from './operations/renew-leases.js';

/** Compactions and their dispatch on Postgres: the same claim, lease and fence code as for steps. */
export function postgresCompactionStore(db: Database): CompactionStore {
  return {
    claimCompaction: ({ compactionId, ...claim }) =>
      db.run((sql) => claimCompaction(sql, { id: compactionId, ...claim })),
    heartbeatCompactions: async (held, leaseMs) => {
      const leases = held.map(({ compactionId, fence }) => ({ id: compactionId, fence }));
      return new Set(
        (await db.run((sql) => renewLeases(sql, LEASED_COMPACTIONS, leases, leaseMs, null))).map(({ id }) => id),
      );
    },
    takeRunnableCompactions: async (limit) =>
      (await db.run((sql) => takeRunnable(sql, LEASED_COMPACTIONS, limit))).map(compactionJob),
    undispatchCompactions: (jobs) => db.run((sql) => undispatch(sql, LEASED_COMPACTIONS, jobs.map(dispatch))),
    findDispatchedCompactions: async (olderThanMs, limit) =>
      (await db.run((sql) => findDispatched(sql, LEASED_COMPACTIONS, olderThanMs, limit))).map(compactionJob),
    redispatchCompactions: (jobs) => db.run((sql) => redispatch(sql, LEASED_COMPACTIONS, jobs.map(dispatch))),
    redispatchAllCompactions: () => db.run((sql) => redispatchAll(sql, LEASED_COMPACTIONS)),
    findExpiredCompactions: (limit) => db.run((sql) => findExpiredCompactions(sql, limit)),
    getCompaction: (projectId, compactionId) => db.run((sql) => findCompaction(sql, projectId, compactionId)),
    findWaitersOfEndedCompactions: (limit) => db.run((sql) => findWaitersOfEndedCompactions(sql, limit)),
    recordCompactionCall: (call) => db.run((sql) => recordCompactionCall(sql, call)),
    keepSummary: (kept) => db.run((sql) => keepSummary(sql, kept)),
    findCachedSummary: (query) => db.run((sql) => findCachedSummary(sql, query)),
  };
}

const compactionJob = ({ id, dispatchNo }: Dispatch): CompactionJob => ({ compactionId: id, dispatchNo });
const dispatch = ({ compactionId, dispatchNo }: CompactionJob): Dispatch => ({ id: compactionId, dispatchNo });
