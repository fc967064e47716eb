import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { findCompaction, listCompactions, type CompactionRow } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, hasScope, type Caller } from '../auth/caller.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { toUsage } from '../runs/run-wire.js';
import { compaction, compactionListQuery, type Compaction } from './compaction.schema.js';

@ApiTags('admin: compactions')
@Controller('v1/admin/compactions')
export class CompactionsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'listCompactions',
    summary: 'Compactions of the project',
    description: 'A stream finds those of its sub-streams too.',
    scope: 'admin:read',
    answers: { 200: { description: 'A page of compactions, newest first.', schema: pageOf(compaction) } },
  })
  @Get()
  async list(
    @Query({ schema: compactionListQuery }) query: z.output<typeof compactionListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<Compaction>> {
    const { limit, cursor, ...given } = query;
    const after = decodeCursor(cursor, given);
    const filters = {
      ...(query.stream_id === undefined ? {} : { streamId: query.stream_id }),
      ...(query.status === undefined ? {} : { status: query.status }),
    };
    const key = after === null ? null : { requestedAt: String(after[0]), compactionId: String(after[1]) };
    const rows = await listCompactions(this.parts.database.kysely, caller.projectId, filters, { after: key, limit });
    const showsContent = hasScope(caller, 'content:read');
    return toPage(
      rows,
      limit,
      given,
      (row) => [row.requestedAt, row.compactionId],
      (row) => toCompaction(row, showsContent),
    );
  }

  @Operation({
    id: 'getCompaction',
    summary: 'One compaction',
    scope: 'admin:read',
    answers: { 200: { description: 'The compaction.', schema: compaction } },
  })
  @Get(':compaction')
  async get(
    @Param('compaction', { schema: pathId }) compactionId: string,
    @FromCaller() caller: Caller,
  ): Promise<Compaction> {
    const found = await findCompaction(this.parts.database.kysely, caller.projectId, compactionId);
    if (found === null) throw notFound('compaction_not_found', `Compaction ${compactionId}`);
    return toCompaction(found, hasScope(caller, 'content:read'));
  }
}

function toCompaction(row: CompactionRow, showsContent: boolean): Compaction {
  return {
    id: row.compactionId,
    stream_id: row.streamId,
    run_id: row.runId,
    status: row.status,
    reason: row.reason,
    range: [row.rangeLo, row.rangeHi],
    entries: [row.entryLo, row.entryHi],
    supersedes: row.supersedes,
    live: row.live,
    chars_before: row.charsBefore,
    chars_after: row.charsAfter,
    bytes_saved: row.bytesSaved,
    summary: showsContent ? row.summary : null,
    summarizer: { model: row.summarizerModel, extractive: row.extractive },
    source_digest: row.sourceDigest,
    policy_hash: row.policyHash,
    usage: toUsage({ ...row, toolCalls: 0 }),
    attempts: Array.isArray(row.attempts) ? row.attempts : [],
    requested_at: row.requestedAt,
    ended_at: row.endedAt,
  };
}
