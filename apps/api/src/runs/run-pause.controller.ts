import { Body, Controller, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Json, StoredSpendLimit } from '#libs/domain';
import { pauseRun, resumeRun, type PauseResult } from '#libs/engine';
import { recordAudit } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { Operation } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { loadRun, runNotFound } from './load-run.js';
import {
  pauseAnswer,
  pauseRunBody,
  resumeRunBody,
  type PauseAnswer,
  type PauseRunBody,
  type ResumeRunBody,
  type SpendLimitBody,
} from './pause.schema.js';

@ApiTags('runs')
@Controller('v1/runs/:run')
export class RunPauseController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'pauseRun',
    summary: 'Pause a run',
    description:
      'Running steps stop at their next turn boundary, no new ones begin; child runs are paused with it. Timers run on and people may decide. Pausing again changes nothing.',
    scope: 'runs:write',
    answers: { 202: { description: 'The run is paused.', schema: pauseAnswer } },
  })
  @ApiIdempotencyKey()
  @Post('pause')
  async pause(
    @Param('run', { schema: pathId }) runId: string,
    @Body({ schema: pauseRunBody }) body: PauseRunBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PauseAnswer> {
    const reason = body?.reason ?? null;
    const at = { projectId: caller.projectId, runId };
    return this.once({ scope: `pause:${runId}`, body: { reason }, key, caller, reply }, () =>
      pauseRun(this.parts.engine, { ...at, reason }),
    );
  }

  @Operation({
    id: 'resumeRun',
    summary: 'Go on with a paused run, or raise its spend limit',
    description:
      'What stopped at a turn boundary goes on from there. Resuming a run that is not paused changes nothing.',
    scope: 'runs:write',
    answers: { 202: { description: 'The run goes on.', schema: pauseAnswer } },
  })
  @ApiIdempotencyKey()
  @Post('resume')
  async resume(
    @Param('run', { schema: pathId }) runId: string,
    @Body({ schema: resumeRunBody }) body: ResumeRunBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PauseAnswer> {
    const spendLimit = body?.spend_limit ?? null;
    const at = { projectId: caller.projectId, runId };
    const given = { spend_limit: spendLimit };
    return this.once({ scope: `resume:${runId}`, body: given, key, caller, reply }, () =>
      resumeRun(this.parts.engine, { ...at, spendLimit }),
    );
  }

  private once(
    { caller, ...deed }: { scope: string; body: Json; key: string | null; caller: Caller; reply: FastifyReply },
    perform: () => Promise<PauseResult>,
  ): Promise<PauseAnswer> {
    return doOnce(
      this.parts.engine,
      { projectId: caller.projectId, ...deed },
      async () => this.answer(await perform(), deed.scope, caller),
      (answer) => answer,
      (stored) => pauseAnswer.parse(stored),
    );
  }

  private async answer(result: PauseResult, scope: string, caller: Caller): Promise<PauseAnswer> {
    const { projectId, keyId } = caller;
    const runId = scope.slice(scope.indexOf(':') + 1);
    switch (result.status) {
      case 'not_found':
        throw runNotFound(runId);
      case 'already_ended':
        throw new ProblemError('wrong_state', `Run ${runId} is ${result.runStatus}.`);
      case 'limit_spent':
        throw new ProblemError('wrong_state', `It would stop again at once: ${result.spent}; give a higher limit.`);
      case 'paused':
      case 'resumed': {
        const action = `run.${result.status}`;
        await recordAudit(this.parts.database.kysely, { projectId, actor: keyId, action, subject: runId, detail: {} });
        const { run, allowedActions } = await loadRun(this.parts.engine, projectId, runId);
        return { id: runId, status: run.status, paused: run.pausedAt !== null, allowed_actions: allowedActions };
      }
    }
  }
}

export function toSpendLimit({ tokens, cost_usd, tool_calls, on_exceeded }: SpendLimitBody): StoredSpendLimit {
  return { tokens: tokens ?? null, cost_usd: cost_usd ?? null, tool_calls: tool_calls ?? null, on_exceeded };
}
