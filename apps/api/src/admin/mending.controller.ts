import { Controller, Get, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { discardDeadLetter, findFaults, retryRun, sweep } from '#libs/engine';
import { recordAudit } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { Operation } from '../http/operation.js';
import { notFound, ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { loadRun } from '../runs/load-run.js';
import { notDead, refusedRetry } from '../runs/refused-retry.js';
import {
  deadLetterEnded,
  faults,
  mended,
  type DeadLetterEnded,
  type FaultCounts,
  type Mended,
} from './mending.schema.js';

@ApiTags('admin: operation')
@Controller('v1/admin')
export class MendingController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'redriveDeadLetter',
    summary: 'Try a step again that was given up',
    description: 'Its run goes on in place, as `retry` does: with every step that did not succeed.',
    scope: 'admin:write',
    answers: { 202: { description: 'The run goes on.', schema: deadLetterEnded } },
  })
  @ApiIdempotencyKey()
  @Post('dead-letters/:letter/redrive')
  redrive(
    @Param('letter', { schema: pathId }) id: string,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DeadLetterEnded> {
    return this.once({ verb: 'redrive', id, key, reply }, caller, async () => {
      const step = await this.parts.engine.runs.getStepRun(id);
      if (step === null || step.projectId !== caller.projectId) throw unknown(id);
      const { projectId, runId } = step;
      const command = { projectId, runId, version: 'pinned', deadStepRunId: id } as const;
      const result = await retryRun(this.parts.engine, command);
      if (result.status === 'retried') return runId;
      throw await refusedRetry(this.parts.engine, command, result);
    });
  }

  @Operation({
    id: 'discardDeadLetter',
    summary: 'Give a step up for good',
    description: 'It counts as failed and leaves the list; its run can still be retried.',
    scope: 'admin:write',
    status: 200,
    answers: { 200: { description: 'It is off the list.', schema: deadLetterEnded } },
  })
  @ApiIdempotencyKey()
  @Post('dead-letters/:letter/discard')
  discard(
    @Param('letter', { schema: pathId }) id: string,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DeadLetterEnded> {
    return this.once({ verb: 'discard', id, key, reply }, caller, async () => {
      const result = await discardDeadLetter(this.parts.engine, { projectId: caller.projectId, stepRunId: id });
      switch (result.status) {
        case 'discarded':
          return result.runId;
        case 'not_found':
          throw unknown(id);
        case 'not_dead':
          throw notDead(id);
        case 'under_way':
          throw new ProblemError('wrong_state', 'Other steps of its run are under way still; wait for their end.');
      }
    });
  }

  @Operation({
    id: 'findFaults',
    summary: 'What the sweeper would mend now',
    description: 'Compares what is stored with the queue and the clock, for this project, and changes nothing.',
    scope: 'admin:read',
    answers: { 200: { description: 'Counts.', schema: faults } },
  })
  @Get('reconcile')
  async faults(@FromCaller() caller: Caller): Promise<FaultCounts> {
    const found = await findFaults(this.parts.engine, caller.projectId);
    return {
      expired_leases: found.expiredLeases,
      lost_jobs: found.lostJobs,
      due_waits: found.dueWaits,
      overdue_runs: found.overdueRuns,
      overdue_steps: found.overdueSteps,
      startable_runs: found.startableRuns,
      stuck_runs: found.stuckRuns,
    };
  }

  @Operation({
    id: 'reconcile',
    summary: 'Sweep now',
    description: 'What every process does every few seconds, at once. Doing it twice changes nothing.',
    scope: 'admin:write',
    status: 200,
    answers: { 200: { description: 'What was mended.', schema: mended } },
  })
  @Post('reconcile')
  async reconcile(@FromCaller() { projectId, keyId: actor }: Caller): Promise<Mended> {
    const report = await sweep(this.parts.engine);
    const entry = { projectId, actor, action: 'installation.reconciled', subject: projectId, detail: {} };
    await recordAudit(this.parts.database.kysely, entry);
    return {
      expired_leases: report.expiredLeases,
      redispatched: report.redispatched,
      woken: report.woken,
      timed_out_runs: report.timedOutRuns,
      timed_out_steps: report.timedOutSteps,
      begun_runs: report.begunRuns,
      advanced_runs: report.advancedRuns,
      failures: report.failures,
    };
  }

  private once(
    deed: { verb: string; id: string; key: string | null; reply: FastifyReply },
    { projectId, keyId: actor }: Caller,
    perform: () => Promise<string>,
  ): Promise<DeadLetterEnded> {
    const { verb, id, key, reply } = deed;
    return doOnce(
      this.parts.engine,
      { projectId, scope: `${verb}:${id}`, key, body: {}, reply },
      async () => {
        const runId = await perform();
        const entry = { projectId, actor, action: `dead_letter.${verb}`, subject: id, detail: { run_id: runId } };
        await recordAudit(this.parts.database.kysely, entry);
        const { run } = await loadRun(this.parts.engine, projectId, runId);
        return { id, run_id: runId, status: run.status };
      },
      (answer) => answer,
      (stored) => deadLetterEnded.parse(stored),
    );
  }
}

const unknown = (id: string): ProblemError => notFound('dead_letter_not_found', `Dead letter ${id}`);
