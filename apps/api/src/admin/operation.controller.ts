import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { runErrorSchema } from '#libs/domain';
import {
  countCompactions,
  countSteps,
  findDeadLetter,
  listAuditLog,
  listDeadLetters,
  listWorkers,
  reportUsage,
  type DeadLetterRow,
  type QueueCounts,
  type ReadDatabase,
} from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { toUsage } from '../runs/run-wire.js';
import {
  auditEntry,
  deadLetter,
  operationListQuery,
  queues,
  usageQuery,
  usageReport,
  worker,
  type AuditEntry,
  type DeadLetter,
  type Queues,
  type UsageReport,
  type Worker,
} from './operation.schema.js';

type ListQuery = z.output<typeof operationListQuery>;

@ApiTags('admin: operation')
@Controller('v1/admin')
export class OperationController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'getQueues',
    summary: "How much of the project's work waits and runs",
    scope: 'admin:read',
    answers: { 200: { description: 'Counts.', schema: queues } },
  })
  @Get('queues')
  async queues(@FromCaller() caller: Caller): Promise<Queues> {
    const [steps, compactions] = await Promise.all([
      countSteps(this.db, caller.projectId),
      countCompactions(this.db, caller.projectId),
    ]);
    return { backend: this.parts.queueBackend, steps: toCounts(steps), compactions: toCounts(compactions) };
  }

  @Operation({
    id: 'listWorkers',
    summary: "Workers that hold the project's work",
    description:
      'An expired lease means that its worker is gone or hangs; the work is dispatched again. Idle workers hold nothing and are not listed.',
    scope: 'admin:read',
    answers: { 200: { description: 'All of them.', schema: pageOf(worker) } },
  })
  @Get('workers')
  async workers(@FromCaller() caller: Caller): Promise<Page<Worker>> {
    const rows = await listWorkers(this.db, caller.projectId);
    const data = rows.map((row) => ({
      id: row.workerId,
      kind: row.kind,
      running: row.running,
      expired_leases: row.expired,
      oldest_started_at: row.oldestStartedAt,
      lease_until: row.leaseUntil,
    }));
    return { data, next_cursor: null, has_more: false };
  }

  @Operation({
    id: 'listDeadLetters',
    summary: 'Steps that were given up',
    scope: 'admin:read',
    answers: { 200: { description: 'A page of steps, newest first.', schema: pageOf(deadLetter) } },
  })
  @Get('dead-letters')
  async deadLetters(
    @Query({ schema: operationListQuery }) query: ListQuery,
    @FromCaller() caller: Caller,
  ): Promise<Page<DeadLetter>> {
    const after = decodeCursor(query.cursor, {});
    const key = after === null ? null : { deadAt: String(after[0]), stepRunId: String(after[1]) };
    const rows = await listDeadLetters(this.db, caller.projectId, { after: key, limit: query.limit });
    return toPage(rows, query.limit, {}, (row) => [row.deadAt, row.stepRunId], toDeadLetter);
  }

  @Operation({
    id: 'getDeadLetter',
    summary: 'One step that was given up',
    scope: 'admin:read',
    answers: { 200: { description: 'The step, with its diagnosis.', schema: deadLetter } },
  })
  @Get('dead-letters/:letter')
  async deadLetter(@Param('letter', { schema: pathId }) id: string, @FromCaller() caller: Caller): Promise<DeadLetter> {
    const row = await findDeadLetter(this.db, caller.projectId, id);
    if (row === null) throw notFound('dead_letter_not_found', `Dead letter ${id}`);
    return toDeadLetter(row);
  }

  @Operation({
    id: 'listAuditLog',
    summary: 'Who did what',
    scope: 'admin:read',
    answers: { 200: { description: 'A page of deeds, newest first. `actor` is a key.', schema: pageOf(auditEntry) } },
  })
  @Get('audit-log')
  async auditLog(
    @Query({ schema: operationListQuery }) query: ListQuery,
    @FromCaller() caller: Caller,
  ): Promise<Page<AuditEntry>> {
    const after = decodeCursor(query.cursor, {});
    const page = { after: after === null ? null : Number(after[0]), limit: query.limit };
    const rows = await listAuditLog(this.db, caller.projectId, page);
    return toPage(
      rows,
      query.limit,
      {},
      (row) => [row.auditId],
      ({ auditId, recordedAt, ...row }) => ({ id: auditId, ...row, recorded_at: recordedAt }),
    );
  }

  @Operation({
    id: 'reportUsage',
    summary: 'Tokens, cost and calls',
    description:
      'Grouped by any of `pipeline`, `model` and `day`, separated by commas. `from` is inclusive, `until` exclusive.',
    scope: 'admin:read',
    answers: { 200: { description: 'One row per combination.', schema: usageReport } },
  })
  @Get('usage')
  async usage(
    @Query({ schema: usageQuery }) query: z.output<typeof usageQuery>,
    @FromCaller() caller: Caller,
  ): Promise<UsageReport> {
    const rows = await reportUsage(this.db, {
      projectId: caller.projectId,
      groups: query.group_by,
      from: query.from ?? null,
      until: query.until ?? null,
    });
    const data = rows.map(({ pipeline, model, day, ...sums }) => ({ pipeline, model, day, usage: toUsage(sums) }));
    return { group_by: query.group_by, data };
  }

  private get db(): ReadDatabase {
    return this.parts.database.kysely;
  }
}

function toCounts(counts: QueueCounts): Queues['steps'] {
  const { oldestRunnableAt, ...rest } = counts;
  return { ...rest, oldest_runnable_at: oldestRunnableAt };
}

function toDeadLetter(row: DeadLetterRow): DeadLetter {
  return {
    id: row.stepRunId,
    run_id: row.runId,
    pipeline: row.pipeline,
    step_id: row.stepId,
    item: row.item,
    round: row.round,
    attempt: row.attempt,
    starts: row.starts,
    error: row.error === null ? null : runErrorSchema.parse(row.error),
    dead_at: row.deadAt,
  };
}
