import { Body, Controller, Inject, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { parseJson } from '#libs/domain';
import { cancelRun, pauseRun, resumeRun, retryRun, type EngineDeps } from '#libs/engine';
import { listRuns, recordAudit } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { decodeCursor } from '../http/list-cursor.js';
import { toPage } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { describeRuns } from '../runs/load-run.js';
import { bulkAnswer, bulkBody, type BulkAnswer, type BulkBody, type BulkFilter } from './bulk.schema.js';

type Refused = { code: string; detail: string };

@ApiTags('runs')
@Controller('v1')
export class BulkController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'actOnRuns',
    summary: 'Cancel, retry, pause or resume many runs',
    description:
      'Those that the filter finds and whose state allows it; the others are named with the reason. `dry_run` says what would happen.',
    scope: 'runs:write',
    status: 200,
    answers: { 200: { description: 'What was done to which runs.', schema: bulkAnswer } },
  })
  @ApiIdempotencyKey()
  @Post('bulk-actions')
  act(
    @Body({ schema: bulkBody }) body: BulkBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BulkAnswer> {
    const { projectId } = caller;
    const asked = parseJson(JSON.stringify(body));
    return doOnce(
      this.parts.engine,
      { projectId, scope: 'bulk-actions', key, body: asked, reply },
      () => this.perform(body, caller),
      (answer) => answer,
      (stored) => bulkAnswer.parse(stored),
    );
  }

  private async perform(body: BulkBody, { projectId, keyId: actor }: Caller): Promise<BulkAnswer> {
    const { action, filter, dry_run, limit } = body;
    const db = this.parts.database.kysely;
    const given = { action, ...filter };
    const after = decodeCursor(body.cursor ?? undefined, given);
    const place = after === null ? null : { createdAt: String(after[0]), runId: String(after[1]) };
    const rows = await listRuns(db, projectId, filtersOf(filter), { after: place, limit });
    const page = toPage(
      rows,
      limit,
      given,
      (row) => [row.createdAt, row.runId],
      (row) => row,
    );
    const described = await describeRuns(db, projectId, page.data);
    const done: string[] = [];
    const skipped: BulkAnswer['skipped'] = [];
    for (const { runId, status } of page.data) {
      const isAllowed = described.get(runId)?.allowedActions.includes(action) ?? false;
      const refused = !isAllowed
        ? { code: 'wrong_state', detail: `The run is ${status}.` }
        : dry_run
          ? null
          : await actOn(this.parts.engine, action, { projectId, runId });
      if (refused === null) done.push(runId);
      else skipped.push({ run_id: runId, ...refused });
    }
    if (!dry_run && done.length > 0) {
      const entry = { projectId, actor, action: `run.bulk_${action}`, subject: 'bulk-actions', detail: { runs: done } };
      await recordAudit(db, entry);
    }
    const { next_cursor, has_more } = page;
    return { action, dry_run, matched: page.data.length, done, skipped, next_cursor, has_more };
  }
}

/** Null: done. The state may have changed since it was looked at. */
async function actOn(
  engine: EngineDeps,
  action: BulkBody['action'],
  run: { projectId: string; runId: string },
): Promise<Refused | null> {
  switch (action) {
    case 'cancel':
      return refusedUnless(['cancelling', 'cancelled'], await cancelRun(engine, { ...run, reason: null }));
    case 'retry':
      return refusedUnless(['retried'], await retryRun(engine, { ...run, version: 'pinned' }));
    case 'pause':
      return refusedUnless(['paused'], await pauseRun(engine, { ...run, reason: null }));
    case 'resume':
      return refusedUnless(['resumed'], await resumeRun(engine, { ...run, spendLimit: null }));
  }
}

const refusedUnless = (fine: readonly string[], { status }: { status: string }): Refused | null =>
  fine.includes(status) ? null : { code: status, detail: 'Its state changed meanwhile, or does not allow it.' };

function filtersOf({ status, pipeline, tag, stream_id, created_after, created_before }: BulkFilter) {
  return {
    ...(status === undefined ? {} : { statuses: status }),
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(tag === undefined ? {} : { tag }),
    ...(stream_id === undefined ? {} : { streamId: stream_id }),
    ...(created_after === undefined ? {} : { createdAfter: created_after }),
    ...(created_before === undefined ? {} : { createdBefore: created_before }),
  };
}
