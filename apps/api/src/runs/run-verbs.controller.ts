import { Body, Controller, Delete, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { cancelRun, retryRun } from '#libs/engine';
import { eraseRun, recordAudit } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { Operation } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { loadRun, runNotFound } from './load-run.js';
import { refusedRetry } from './refused-retry.js';
import {
  cancelAnswer,
  cancelRunBody,
  retryAnswer,
  retryRunBody,
  type CancelAnswer,
  type CancelRunBody,
  type RetryAnswer,
  type RetryRunBody,
} from './run.schema.js';

/** What may be done with a run; `allowed_actions` of the run names what would be accepted now. */
@ApiTags('runs')
@Controller('v1/runs/:run')
export class RunVerbsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'cancelRun',
    summary: 'Cancel a run',
    description: 'Waiting steps end at once, running ones are told within a second. Cancelling again changes nothing.',
    scope: 'runs:write',
    answers: { 202: { description: 'The run has been told, or has ended already by it.', schema: cancelAnswer } },
  })
  @ApiIdempotencyKey()
  @Post('cancel')
  async cancel(
    @Param('run', { schema: pathId }) runId: string,
    @Body({ schema: cancelRunBody }) body: CancelRunBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CancelAnswer> {
    const reason = body?.reason ?? null;
    const deed = { projectId: caller.projectId, scope: `cancel:${runId}`, key, body: { reason }, reply };
    return doOnce(
      this.parts.engine,
      deed,
      () => this.stop(runId, reason, caller),
      (answer) => answer,
      (stored) => cancelAnswer.parse(stored),
    );
  }

  private async stop(runId: string, reason: string | null, caller: Caller): Promise<CancelAnswer> {
    const { projectId } = caller;
    const result = await cancelRun(this.parts.engine, { projectId, runId, reason });
    switch (result.status) {
      case 'not_found':
        throw runNotFound(runId);
      case 'already_ended':
        if (result.runStatus === 'cancelled') return { id: runId, status: 'cancelled', allowed_actions: [] };
        throw await this.alreadyEnded(projectId, runId);
      case 'cancelling':
      case 'cancelled':
        await recordAudit(this.parts.database.kysely, {
          projectId,
          actor: caller.keyId,
          action: 'run.cancelled',
          subject: runId,
          detail: {},
        });
        return { id: runId, status: result.status, allowed_actions: [] };
    }
  }

  @Operation({
    id: 'retryRun',
    summary: 'Go on from the steps that failed',
    description:
      'In place: outputs of the other steps are kept, fresh steps see what they saw before, server settings and policies are resolved anew. `version`: `pinned`, or what `live` points to now.',
    scope: 'runs:write',
    answers: { 202: { description: 'The run goes on.', schema: retryAnswer } },
  })
  @ApiIdempotencyKey()
  @Post('retry')
  async retry(
    @Param('run', { schema: pathId }) runId: string,
    @Body({ schema: retryRunBody }) body: RetryRunBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RetryAnswer> {
    const version = body?.version ?? 'pinned';
    const deed = { projectId: caller.projectId, scope: `retry:${runId}`, key, body: { version }, reply };
    return doOnce(
      this.parts.engine,
      deed,
      () => this.goOn(runId, version, caller),
      (answer) => answer,
      (stored) => retryAnswer.parse(stored),
    );
  }

  private async goOn(runId: string, version: 'pinned' | 'live', caller: Caller): Promise<RetryAnswer> {
    const { projectId, keyId } = caller;
    const command = { projectId, runId, version };
    const result = await retryRun(this.parts.engine, command);
    if (result.status !== 'retried') throw await refusedRetry(this.parts.engine, command, result);
    const detail = { version: result.version, steps: result.steps };
    const entry = { projectId, actor: keyId, action: 'run.retried', subject: runId, detail };
    await recordAudit(this.parts.database.kysely, entry);
    return { id: runId, version: result.version, steps: result.steps };
  }

  @Operation({
    id: 'eraseRun',
    summary: 'Erase an ended run',
    description:
      'Inputs, outputs, metadata, conversation and memory of the run and of those it started, and summaries over them. Sequences, times, status and costs stay; contexts that showed it answer `erased`.',
    scope: 'admin:write',
    answers: { 204: { description: 'Erased.' } },
  })
  @Delete()
  async erase(@Param('run', { schema: pathId }) runId: string, @FromCaller() caller: Caller): Promise<void> {
    const { projectId, keyId: actor } = caller;
    const result = await eraseRun(this.parts.database.kysely, { projectId, runId, actor });
    if (result.status === 'not_found') throw runNotFound(runId);
    if (result.status === 'not_ended')
      throw new ProblemError('wrong_state', `Run ${result.runId} is ${result.runStatus}: only ended runs are erased.`, {
        allowedActions: ['cancel'],
      });
  }

  private async alreadyEnded(projectId: string, runId: string): Promise<ProblemError> {
    const { run, allowedActions } = await loadRun(this.parts.engine, projectId, runId);
    return new ProblemError('wrong_state', `Run ${runId} has already ended as ${run.status}.`, { allowedActions });
  }
}
