import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { findCompaction, listCompactions, readStreamEvents, type CompactionRow } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, hasScope, type Caller } from '../auth/caller.js';
import { toEvent } from '../events/event-wire.js';
import { streamEventPage, streamEventsQuery, type StreamEventsQuery } from '../events/event.schema.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { toCompaction } from './compaction-wire.js';
import { compaction, compactionListQuery, type Compaction } from './compaction.schema.js';

@ApiTags('admin: compactions')
@Controller('v1/admin/compactions')
export class CompactionsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'listCompactions',
    summary: 'Compactions of the project',
    description: 'A stream finds those of its sub-streams too; `entry` those whose range holds that entry.',
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
      ...(query.entry === undefined ? {} : { entry: query.entry }),
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
    return toCompaction(await this.find(caller.projectId, compactionId), hasScope(caller, 'content:read'));
  }

  @Operation({
    id: 'listCompactionEvents',
    summary: 'The events behind a summary',
    description:
      'All of its range, as they were stored. By `seq`: `next_cursor` is the last one and goes into `after`.',
    scope: 'admin:read',
    answers: { 200: { description: 'A page of events.', schema: streamEventPage } },
  })
  @Get(':compaction/events')
  async events(
    @Param('compaction', { schema: pathId }) compactionId: string,
    @Query({ schema: streamEventsQuery }) query: StreamEventsQuery,
    @FromCaller() caller: Caller,
  ): Promise<z.output<typeof streamEventPage>> {
    const { rangeLo, rangeHi, streamId } = await this.find(caller.projectId, compactionId);
    const { after, types, limit } = query;
    const events = await readStreamEvents(this.parts.database.kysely, {
      projectId: caller.projectId,
      streamId,
      afterSeq: Math.max(after ?? 0, rangeLo - 1),
      limit: limit + 1,
      ...(types === undefined ? {} : { types }),
    });
    const inRange = events.filter(({ seq }) => seq <= rangeHi);
    const shown = inRange.slice(0, limit);
    const showsContent = hasScope(caller, 'content:read');
    const last = shown.at(-1)?.seq ?? after;
    return {
      data: shown.map((event) => toEvent(event, showsContent)),
      next_cursor: last === undefined ? null : String(last),
      has_more: inRange.length > limit,
    };
  }

  private async find(projectId: string, compactionId: string): Promise<CompactionRow> {
    const found = await findCompaction(this.parts.database.kysely, projectId, compactionId);
    if (found === null) throw notFound('compaction_not_found', `Compaction ${compactionId}`);
    return found;
  }
}
