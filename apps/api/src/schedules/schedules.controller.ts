import { Body, Controller, Delete, Get, Inject, Param, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { parseDurationMs } from '#libs/domain';
import { checkSchedule, upcomingTicks, type ScheduleRecord } from '#libs/engine';
import {
  deleteSchedule,
  findSchedule,
  listSchedules,
  listTicks,
  putSchedule,
  type ReadDatabase,
} from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound, ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { faultsOfDocument } from '../pipelines/document-faults.js';
import { toSchedule, toTick } from './schedule-wire.js';
import {
  schedule,
  scheduleBody,
  scheduleListQuery,
  tickListQuery,
  tickSchema,
  triggerName,
  upcoming,
  upcomingQuery,
  type Schedule,
  type ScheduleBody,
  type Tick,
  type Upcoming,
} from './schedule.schema.js';

@ApiTags('schedules')
@Controller('v1/schedules')
export class SchedulesController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'putSchedule',
    summary: 'Make a schedule, or replace one',
    description:
      'Each tick of `cron` in `timezone` starts one run, however many processes there are. Expressions in `start` are over `schedule` (`name`, `timezone`) and `tick` (`at`, RFC 3339; `date`, in the time zone). `overlap`: what becomes of a tick while a run of the schedule goes on; `catch_up`: what becomes of ticks that passed while nobody could start them.',
    scope: 'runs:write',
    status: 200,
    answers: {
      200: { description: 'Replaced.', schema: schedule },
      201: { description: 'Made.', schema: schedule },
    },
  })
  @Put(':name')
  async put(
    @Param('name', { schema: triggerName }) name: string,
    @Body({ schema: scheduleBody }) body: ScheduleBody,
    @FromCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Schedule> {
    const { projectId, keyId } = caller;
    const checked = await checkSchedule(this.parts.engine, { projectId, ...body });
    if (!checked.ok)
      throw new ProblemError('invalid_request', 'The schedule cannot be used.', {
        errors: faultsOfDocument(checked.faults),
      });
    const { schedule: stored, isNew } = await putSchedule(this.parts.database.kysely, {
      ...{ projectId, name, actor: keyId, nextAt: checked.nextAt },
      ...{ cron: body.cron, timezone: body.timezone, overlap: body.overlap, catchUp: body.catch_up, start: body.start },
      catchUpWindowMs: parseDurationMs(body.catch_up_window) ?? 0,
    });
    if (isNew) reply.status(201);
    return toSchedule(stored);
  }

  @Operation({
    id: 'listSchedules',
    summary: 'Schedules of the project',
    scope: 'runs:read',
    answers: { 200: { description: 'A page of schedules, by name.', schema: pageOf(schedule) } },
  })
  @Get()
  async list(
    @Query({ schema: scheduleListQuery }) query: z.output<typeof scheduleListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<Schedule>> {
    const after = decodeCursor(query.cursor, {});
    const page = { after: after === null ? null : String(after[0]), limit: query.limit };
    const rows = await listSchedules(this.db, caller.projectId, page);
    return toPage(rows, query.limit, {}, (row) => [row.name], toSchedule);
  }

  @Operation({
    id: 'getSchedule',
    summary: 'One schedule',
    scope: 'runs:read',
    answers: { 200: { description: 'The schedule.', schema: schedule } },
  })
  @Get(':name')
  async get(@Param('name', { schema: pathId }) name: string, @FromCaller() caller: Caller): Promise<Schedule> {
    return toSchedule(await this.load(caller, name));
  }

  @Operation({
    id: 'deleteSchedule',
    summary: 'Delete a schedule',
    description: 'Its runs go on; what it did is forgotten.',
    scope: 'runs:write',
    answers: { 204: { description: 'Deleted.' } },
  })
  @Delete(':name')
  async delete(@Param('name', { schema: pathId }) name: string, @FromCaller() caller: Caller): Promise<void> {
    const place = { projectId: caller.projectId, name, actor: caller.keyId };
    if (!(await deleteSchedule(this.parts.database.kysely, place))) throw scheduleNotFound(name);
  }

  @Operation({
    id: 'listTicks',
    summary: 'What became of a schedule’s ticks',
    description: 'The last 200, and those whose runs go on.',
    scope: 'runs:read',
    answers: { 200: { description: 'A page of ticks, newest first.', schema: pageOf(tickSchema) } },
  })
  @Get(':name/ticks')
  async ticks(
    @Param('name', { schema: pathId }) name: string,
    @Query({ schema: tickListQuery }) query: z.output<typeof tickListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<Tick>> {
    await this.load(caller, name);
    const filters = { name };
    const after = decodeCursor(query.cursor, filters);
    const page = { after: after === null ? null : String(after[0]), limit: query.limit };
    const rows = await listTicks(this.db, caller.projectId, name, page);
    return toPage(rows, query.limit, filters, (row) => [row.at], toTick);
  }

  @Operation({
    id: 'upcomingTicks',
    summary: 'When a schedule’s next ticks are',
    description: 'Also of one that is paused: when they would be.',
    scope: 'runs:read',
    answers: { 200: { description: 'Times, the next one first.', schema: upcoming } },
  })
  @Get(':name/upcoming')
  async upcoming(
    @Param('name', { schema: pathId }) name: string,
    @Query({ schema: upcomingQuery }) query: z.output<typeof upcomingQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Upcoming> {
    const { cron, timezone } = await this.load(caller, name);
    return { data: upcomingTicks(cron, timezone, await this.parts.engine.runs.now(), query.count) };
  }

  private async load(caller: Caller, name: string): Promise<ScheduleRecord> {
    const found = await findSchedule(this.db, caller.projectId, name);
    if (found === null) throw scheduleNotFound(name);
    return found;
  }

  private get db(): ReadDatabase {
    return this.parts.database.kysely;
  }
}

export const scheduleNotFound = (name: string): ProblemError => notFound('schedule_not_found', `Schedule ${name}`);
