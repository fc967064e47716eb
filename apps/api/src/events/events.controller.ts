import { Controller, Get, Headers, Inject, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { parseFeedCursor, readRunEvents, type FeedCursor } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, hasScope, type Caller } from '../auth/caller.js';
import { METRICS, type ApiMetrics, type StreamEnd } from '../health/metrics.js';
import { Operation } from '../http/operation.js';
import { problemOf } from '../http/problem-of.js';
import { ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { runNotFound } from '../runs/load-run.js';
import { eventPage, runEventsQuery, streamQuery, type RunEventsQuery } from './event.schema.js';
import { toEvent } from './event-wire.js';
import { ProgressHub } from './progress-hub.js';
import { SseConnection } from './sse-connection.js';
import { streamRun, type StreamedRun } from './stream-run.js';
import { StreamSlots } from './stream-slots.js';

const KEEP_ALIVE_MS = 15_000;

@ApiTags('events')
@Controller('v1/runs/:run')
export class EventsController {
  private readonly slots = new StreamSlots();

  constructor(
    @Inject(API_PARTS) private readonly parts: ApiParts,
    @Inject(METRICS) private readonly metrics: ApiMetrics,
    private readonly hub: ProgressHub,
  ) {}

  @Operation({
    id: 'listRunEvents',
    summary: 'Events of a run',
    description: 'In the order of the feed. `next_cursor` goes into `after`; it is null only before the first event.',
    scope: 'runs:read',
    answers: { 200: { description: 'A page of events.', schema: eventPage } },
  })
  @Get('events')
  async list(
    @Param('run', { schema: pathId }) runId: string,
    @Query({ schema: runEventsQuery }) query: RunEventsQuery,
    @FromCaller() caller: Caller,
  ): Promise<z.output<typeof eventPage>> {
    await this.mustExist(caller.projectId, runId);
    const { after, types, limit } = query;
    const events = await readRunEvents(this.parts.database.kysely, {
      projectId: caller.projectId,
      runId,
      after: after === undefined ? null : cursorOf(after),
      limit: limit + 1,
      ...(types === undefined ? {} : { types }),
    });
    const shown = events.slice(0, limit);
    const showsContent = hasScope(caller, 'content:read');
    return {
      data: shown.map((event) => toEvent(event, showsContent)),
      next_cursor: shown.at(-1)?.cursor ?? after ?? null,
      has_more: events.length > limit,
    };
  }

  @Operation({
    id: 'streamRun',
    summary: 'Events of a run as they happen',
    description:
      'Server-sent events: `snapshot` (the run), then `event` with the cursor as id, `delta` (text as it is generated, without id, only with `content:read`), at last `end`. `lagged` tells a slow client that it is dropped; come back with `Last-Event-ID`.',
    scope: 'runs:read',
    answers: { 200: { description: 'The stream.', mediaType: 'text/event-stream' } },
  })
  @ApiHeader({ name: 'last-event-id', required: false, description: 'Go on after this cursor.' })
  @Get('stream')
  async stream(
    @Param('run', { schema: pathId }) runId: string,
    @Query({ schema: streamQuery }) query: z.output<typeof streamQuery>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @FromCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const given = lastEventId ?? query.after;
    const after = given === undefined || given === '' ? null : cursorOf(given);
    await this.mustExist(caller.projectId, runId);
    const giveBack = this.slots.take(caller.keyId);
    const run = { projectId: caller.projectId, runId, after, showsContent: hasScope(caller, 'content:read') };
    await this.send(run, reply).finally(giveBack);
  }

  private async send(run: StreamedRun, reply: FastifyReply): Promise<void> {
    const { engine, database, shutdown, keepAliveMs, logger } = this.parts;
    const connection = new SseConnection(reply, keepAliveMs ?? KEEP_ALIVE_MS);
    let end: StreamEnd = 'failed';
    this.metrics.streamOpened();
    try {
      end = await streamRun({ engine, db: database.kysely, hub: this.hub, shutdown }, run, connection);
    } catch (error) {
      // The status has been sent: what went wrong goes to the log, the client comes back with its last id.
      const { id, url } = reply.request;
      const { code } = problemOf(error, { instance: url, requestId: id });
      logger.error({ err: error, request_id: id, code }, 'event stream failed');
    } finally {
      this.metrics.streamClosed(end);
    }
  }

  private async mustExist(projectId: string, runId: string): Promise<void> {
    if ((await this.parts.engine.runs.getRun(projectId, runId)) === null) throw runNotFound(runId);
  }
}

function cursorOf(text: string): FeedCursor {
  const cursor = parseFeedCursor(text);
  if (cursor === null)
    throw new ProblemError('cursor_invalid', 'Expected the cursor of an event, as it was given out.');
  return cursor;
}
