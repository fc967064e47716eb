import { Controller, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { startTick, upcomingTicks } from '#libs/engine';
import { findSchedule, pauseSchedule, recordAudit, resumeSchedule } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { Operation } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { toSchedule } from './schedule-wire.js';
import { schedule, scheduledRun, type Schedule, type ScheduledRun } from './schedule.schema.js';
import { scheduleNotFound } from './schedules.controller.js';

@ApiTags('schedules')
@Controller('v1/schedules')
export class ScheduleVerbsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'pauseSchedule',
    summary: 'Pause a schedule',
    description: 'Its runs go on. Pausing twice changes nothing.',
    scope: 'runs:write',
    answers: { 200: { description: 'The schedule.', schema: schedule } },
  })
  @Post(':name/pause')
  async pause(@Param('name', { schema: pathId }) name: string, @FromCaller() caller: Caller): Promise<Schedule> {
    const place = { projectId: caller.projectId, name, actor: caller.keyId };
    const paused = await pauseSchedule(this.parts.database.kysely, place);
    if (paused === null) throw scheduleNotFound(name);
    return toSchedule(paused);
  }

  @Operation({
    id: 'resumeSchedule',
    summary: 'Go on with a paused schedule',
    description: 'With its next tick from now on: those of the pause are not caught up.',
    scope: 'runs:write',
    answers: { 200: { description: 'The schedule.', schema: schedule } },
  })
  @Post(':name/resume')
  async resume(@Param('name', { schema: pathId }) name: string, @FromCaller() caller: Caller): Promise<Schedule> {
    const { projectId, keyId } = caller;
    const found = await findSchedule(this.parts.database.kysely, projectId, name);
    if (found === null) throw scheduleNotFound(name);
    const [nextAt = null] = upcomingTicks(found.cron, found.timezone, await this.parts.engine.runs.now(), 1);
    const place = { projectId, name, actor: keyId, nextAt };
    const resumed = await resumeSchedule(this.parts.database.kysely, place);
    if (resumed === null) throw scheduleNotFound(name);
    return toSchedule(resumed);
  }

  @Operation({
    id: 'runSchedule',
    summary: 'Start a schedule’s run now',
    description: 'Beside its ticks, whatever goes on and also while it is paused; `tick.at` is now.',
    scope: 'runs:write',
    answers: { 202: { description: 'The run is accepted.', schema: scheduledRun } },
  })
  @ApiIdempotencyKey()
  @Post(':name/run')
  run(
    @Param('name', { schema: pathId }) name: string,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ScheduledRun> {
    const deed = { projectId: caller.projectId, scope: `schedule-run:${name}`, key, body: {}, reply };
    return doOnce(
      this.parts.engine,
      deed,
      () => this.start(caller, name),
      (answer) => answer,
      (stored) => scheduledRun.parse(stored),
    );
  }

  private async start({ projectId, keyId }: Caller, name: string): Promise<ScheduledRun> {
    const found = await findSchedule(this.parts.database.kysely, projectId, name);
    if (found === null) throw scheduleNotFound(name);
    const tick = { projectId, name, at: null, outcome: 'started', isManual: true, ticks: 1, detail: null } as const;
    const started = await startTick(this.parts.engine, found, await this.parts.engine.runs.now(), {
      claim: () => Promise.resolve(true),
      started: (tx, runId) => tx.insertTick({ ...tick, runId }),
    });
    if (started.status !== 'started') {
      const why = started.status === 'refused' ? started.detail : 'it was deleted';
      throw new ProblemError('wrong_state', `Schedule ${name} starts nothing: ${why}.`);
    }
    await recordAudit(this.parts.database.kysely, {
      ...{ projectId, actor: keyId, action: 'schedule.run', subject: name, detail: { run_id: started.runId } },
    });
    return { run_id: started.runId };
  }
}
