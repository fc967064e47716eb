import { Body, Controller, Get, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { isEndedRun, type StoredSpendLimit } from '#libs/domain';
import { changeSpendLimit, labelRun, startRun, type StartRun } from '#libs/engine';
import { listRuns, type ReadDatabase, type RunFilters } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, hasScope, type Caller } from '../auth/caller.js';
import { ProgressHub } from '../events/progress-hub.js';
import { FromIdempotencyKey, keyReused, REPLAYED_HEADER } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { ApiPreferWait, FromPreferredWait } from '../http/prefer.js';
import { notFound, ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { faultsOfDocument } from '../pipelines/document-faults.js';
import { awaitRun } from './await-run.js';
import { describeRuns, loadRun, runNotFound } from './load-run.js';
import { toSpendLimit } from './run-pause.controller.js';
import { toAcceptedRun, toRun, toRunSummary } from './run-wire.js';
import {
  patchRunBody,
  run,
  runListQuery,
  runSummary,
  startRunBody,
  type PatchRunBody,
  type Run,
  type RunListQuery,
  type RunSummary,
  type StartRunBody,
} from './run.schema.js';

@ApiTags('runs')
@Controller('v1')
export class RunsController {
  constructor(
    @Inject(API_PARTS) private readonly parts: ApiParts,
    private readonly hub: ProgressHub,
  ) {}

  @Operation({
    id: 'startRun',
    summary: 'Start a run',
    description: 'The answer shows the run as it was accepted; with `Prefer: wait` and an ended run, as it ended.',
    scope: 'runs:write',
    status: 202,
    answers: {
      202: { description: 'Accepted.', schema: run },
      200: { description: 'Ended within the preferred wait.', schema: run },
    },
  })
  @ApiIdempotencyKey()
  @ApiPreferWait()
  @Post('pipelines/:name/runs')
  async start(
    @Param('name', { schema: pathId }) name: string,
    @Body({ schema: startRunBody }) body: StartRunBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @FromPreferredWait() waitS: number | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Run> {
    const started = await this.accept(caller.projectId, name, body, key);
    if (started.isReplayed) reply.header(REPLAYED_HEADER, 'true');
    reply.header('location', `/v1/runs/${started.runId}`);
    if (waitS !== null) {
      reply.header('preference-applied', `wait=${waitS}`);
      const on = { db: this.db, hub: this.hub, signal: this.parts.shutdown };
      const hasEnded = await awaitRun(on, { projectId: caller.projectId, runId: started.runId, waitMs: waitS * 1000 });
      // Ended or not: who waited gets the run as it is now.
      if (hasEnded) reply.status(200);
      return this.get(started.runId, caller);
    }
    const accepted = await this.parts.engine.runs.getRun(caller.projectId, started.runId);
    if (accepted === null) throw runNotFound(started.runId);
    return toAcceptedRun(accepted, hasScope(caller, 'content:read'));
  }

  private async accept(
    projectId: string,
    name: string,
    body: StartRunBody,
    key: string | null,
  ): Promise<{ runId: string; isReplayed: boolean }> {
    const result = await startRun(this.parts.engine, toCommand(projectId, name, body, key));
    switch (result.status) {
      case 'started':
        return { runId: result.runId, isReplayed: false };
      case 'replayed':
        return { runId: result.runId, isReplayed: true };
      case 'key_mismatch':
        throw keyReused();
      case 'pipeline_not_found':
        throw notFound(
          'pipeline_not_found',
          body.version == null ? `Pipeline ${name}` : `Version ${body.version} of pipeline ${name}`,
        );
      case 'invalid':
        throw new ProblemError('invalid_inputs', `What the run was given does not fit pipeline ${name}.`, {
          errors: faultsOfDocument(result.faults),
        });
      case 'stream_busy':
        throw new ProblemError(
          'stream_busy',
          `Another run holds the stream ${result.streamId}, and the pipeline says on_busy: reject.`,
        );
    }
  }

  @Operation({
    id: 'listRuns',
    summary: 'Runs of the project',
    scope: 'runs:read',
    answers: { 200: { description: 'A page of runs, newest first.', schema: pageOf(runSummary) } },
  })
  @Get('runs')
  async list(
    @Query({ schema: runListQuery }) query: RunListQuery,
    @FromCaller() caller: Caller,
  ): Promise<Page<RunSummary>> {
    const { limit, cursor, ...given } = query;
    const after = decodeCursor(cursor, given);
    const key = after === null ? null : { createdAt: String(after[0]), runId: String(after[1]) };
    const rows = await listRuns(this.db, caller.projectId, filtersOf(query), { after: key, limit });
    const described = await describeRuns(this.db, caller.projectId, rows.slice(0, limit));
    const showsContent = hasScope(caller, 'content:read');
    const page = toPage(
      rows,
      limit,
      given,
      (row) => [row.createdAt, row.runId],
      (row) => described.get(row.runId),
    );
    return {
      ...page,
      data: page.data.filter((row) => row !== undefined).map((row) => toRunSummary(row, showsContent)),
    };
  }

  @Operation({
    id: 'getRun',
    summary: 'One run',
    scope: 'runs:read',
    answers: { 200: { description: 'The run with its first 1,000 steps.', schema: run } },
  })
  @Get('runs/:run')
  async get(@Param('run', { schema: pathId }) runId: string, @FromCaller() caller: Caller): Promise<Run> {
    return toRun(await loadRun(this.parts.engine, caller.projectId, runId), hasScope(caller, 'content:read'));
  }

  @Operation({
    id: 'labelRun',
    summary: 'Change tags, metadata, priority or the spend limit',
    description:
      'What is given replaces what was there. `priority` and `spend_limit` of runs that have not ended; steps that stopped at the limit go on when it allows it.',
    scope: 'runs:write',
    answers: { 200: { description: 'The run.', schema: run } },
  })
  @Patch('runs/:run')
  async label(
    @Param('run', { schema: pathId }) runId: string,
    @Body({ schema: patchRunBody }) body: PatchRunBody,
    @FromCaller() caller: Caller,
  ): Promise<Run> {
    const { tags, metadata, priority, spend_limit: limit } = body;
    const { projectId } = caller;
    const { run: found } = await loadRun(this.parts.engine, projectId, runId);
    if (isEndedRun(found.status) && (priority !== undefined || limit !== undefined))
      throw new ProblemError('wrong_state', `Run ${runId} has ended: only its tags and metadata can change.`);
    if (limit !== undefined) await this.limit(projectId, runId, toSpendLimit(limit));
    const labels = {
      ...(tags === undefined ? {} : { tags }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(priority === undefined ? {} : { priority }),
    };
    await labelRun(this.parts.engine, { projectId, runId }, labels);
    return this.get(runId, caller);
  }

  private async limit(projectId: string, runId: string, spendLimit: StoredSpendLimit): Promise<void> {
    const result = await changeSpendLimit(this.parts.engine, { projectId, runId, spendLimit });
    if (result.status === 'already_ended')
      throw new ProblemError('wrong_state', `Run ${runId} is ${result.runStatus}.`);
  }

  private get db(): ReadDatabase {
    return this.parts.database.kysely;
  }
}

function toCommand(projectId: string, pipeline: string, body: StartRunBody, idempotencyKey: string | null): StartRun {
  return {
    projectId,
    pipeline,
    version: body.version ?? null,
    inputs: body.inputs,
    streamId: body.stream_id ?? null,
    tags: body.tags,
    metadata: body.metadata,
    priority: body.priority,
    deadlineAt: body.deadline ?? null,
    spendLimit: body.spend_limit == null ? null : toSpendLimit(body.spend_limit),
    messages: body.messages ?? null,
    delayMs: body.delay ?? null,
    idempotencyKey,
  };
}

function filtersOf(query: RunListQuery): RunFilters {
  const { status, pipeline, tag, stream_id, created_after, created_before } = query;
  return {
    ...(status === undefined ? {} : { statuses: status }),
    ...(pipeline === undefined ? {} : { pipeline }),
    ...(tag === undefined ? {} : { tag }),
    ...(stream_id === undefined ? {} : { streamId: stream_id }),
    ...(created_after === undefined ? {} : { createdAfter: created_after }),
    ...(created_before === undefined ? {} : { createdBefore: created_before }),
  };
}
