import { Controller, Delete, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { rootStreamId } from '#libs/domain';
import {
  eraseStream,
  findStream,
  listLogsOfStream,
  listStreamHolds,
  listStreams,
  readStreamEvents,
  readStreamMemory,
  type ReadDatabase,
  type StreamRow,
} from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, hasScope, type Caller } from '../auth/caller.js';
import { streamEventPage, streamEventsQuery, type StreamEventsQuery } from '../events/event.schema.js';
import { toEvent } from '../events/event-wire.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound, ProblemError } from '../http/problem-error.js';
import { streamPathId } from '../http/scalars.js';
import {
  stream,
  streamListQuery,
  streamSummary,
  verification,
  type Stream,
  type StreamSummary,
  type Verification,
} from './stream.schema.js';
import { verifyStream } from './verify-stream.js';

@ApiTags('admin: streams')
@Controller('v1/admin/streams')
export class StreamsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'listStreams',
    summary: 'Streams of the project',
    scope: 'admin:read',
    answers: {
      200: { description: 'A page of streams, by id, without their sub-streams.', schema: pageOf(streamSummary) },
    },
  })
  @Get()
  async list(
    @Query({ schema: streamListQuery }) query: z.output<typeof streamListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<StreamSummary>> {
    const { limit, cursor, ...given } = query;
    const after = decodeCursor(cursor, given);
    const filters = {
      ...(query.prefix === undefined ? {} : { prefix: query.prefix }),
      ...(query.active === undefined ? {} : { isActive: query.active === 'true' }),
    };
    const rows = await listStreams(this.db, caller.projectId, filters, {
      after: after === null ? null : String(after[0]),
      limit,
    });
    return toPage(rows, limit, given, (row) => [row.streamId], toSummary);
  }

  @Operation({
    id: 'getStream',
    summary: 'One stream or sub-stream',
    description: 'Sizes, sub-streams, memory and the runs that hold it. A sub-stream shows those of its stream.',
    scope: 'admin:read',
    answers: { 200: { description: 'The stream.', schema: stream } },
  })
  @Get(':stream')
  async get(
    @Param('stream', { schema: streamPathId }) streamId: string,
    @FromCaller() caller: Caller,
  ): Promise<Stream> {
    const { projectId } = caller;
    const root = rootStreamId(streamId);
    const found = await this.find(projectId, streamId);
    const [logs, memory, holds] = await Promise.all([
      listLogsOfStream(this.db, projectId, root),
      readStreamMemory(this.db, projectId, root),
      listStreamHolds(this.db, projectId, root),
    ]);
    return {
      ...toSummary(found),
      root_stream_id: root,
      chars: logs.find((log) => log.streamId === streamId)?.chars ?? 0,
      sub_streams: logs
        .filter((log) => log.streamId !== root)
        .map((log) => ({
          stream_id: log.streamId,
          version: log.version,
          entries: log.entries,
          chars: log.chars,
          updated_at: log.updatedAt,
        })),
      memory: hasScope(caller, 'content:read') ? memory : null,
      holds: holds.map((hold) => ({ run_id: hold.runId, mode: hold.mode, acquired_at: hold.acquiredAt })),
    };
  }

  @Operation({
    id: 'listStreamEvents',
    summary: 'Events of one log',
    description: 'By `seq`. `next_cursor` is the last seq and goes into `after`.',
    scope: 'admin:read',
    answers: { 200: { description: 'A page of events.', schema: streamEventPage } },
  })
  @Get(':stream/events')
  async events(
    @Param('stream', { schema: streamPathId }) streamId: string,
    @Query({ schema: streamEventsQuery }) query: StreamEventsQuery,
    @FromCaller() caller: Caller,
  ): Promise<z.output<typeof streamEventPage>> {
    await this.find(caller.projectId, streamId);
    const { after, types, limit } = query;
    const events = await readStreamEvents(this.db, {
      projectId: caller.projectId,
      streamId,
      afterSeq: after ?? 0,
      limit: limit + 1,
      ...(types === undefined ? {} : { types }),
    });
    const shown = events.slice(0, limit);
    const showsContent = hasScope(caller, 'content:read');
    const last = shown.at(-1)?.seq ?? after;
    return {
      data: shown.map((event) => toEvent(event, showsContent)),
      next_cursor: last === undefined ? null : String(last),
      has_more: events.length > limit,
    };
  }

  @Operation({
    id: 'verifyStream',
    summary: 'Check a stream and its sub-streams',
    description:
      'Gaps in `seq` and `entry`, the digest of every event, the context of every model call. A sub-stream is checked alone.',
    scope: 'admin:read',
    answers: {
      200: { description: 'What was checked and found; `ok` is false when there are faults.', schema: verification },
    },
  })
  @Post(':stream/verify')
  async verify(
    @Param('stream', { schema: streamPathId }) streamId: string,
    @FromCaller() caller: Caller,
  ): Promise<Verification> {
    await this.find(caller.projectId, streamId);
    return verifyStream({ db: this.db, log: this.parts.engine.log }, caller.projectId, streamId);
  }

  @Operation({
    id: 'eraseStream',
    summary: 'Erase a stream',
    description:
      'With its conversations, memory and the contents of its runs, of which none may be under way; of a sub-stream that conversation alone. Sequences, times and costs stay.',
    scope: 'admin:write',
    answers: { 204: { description: 'Erased.' } },
  })
  @Delete(':stream')
  async erase(
    @Param('stream', { schema: streamPathId }) streamId: string,
    @FromCaller() caller: Caller,
  ): Promise<void> {
    const { projectId, keyId: actor } = caller;
    const result = await eraseStream(this.db, { projectId, streamId, actor });
    if (result.status === 'not_found') throw notFound('stream_not_found', `Stream ${streamId}`);
    if (result.status === 'not_ended')
      throw new ProblemError(
        'wrong_state',
        `Run ${result.runId} of the stream is ${result.runStatus}; cancel it first.`,
      );
  }

  private async find(projectId: string, streamId: string): Promise<StreamRow> {
    const found = await findStream(this.db, projectId, streamId);
    if (found === null) throw notFound('stream_not_found', `Stream ${streamId}`);
    return found;
  }

  private get db(): ReadDatabase {
    return this.parts.database.kysely;
  }
}

function toSummary(row: StreamRow): StreamSummary {
  return {
    stream_id: row.streamId,
    version: row.version,
    entries: row.entries,
    active: row.holders > 0,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
