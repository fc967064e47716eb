import { Body, Controller, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { rootStreamId, subStreamId } from '#libs/domain';
import { requestStreamCompaction, retryCompaction, rollBackCompaction } from '#libs/engine';
import { findCompaction, findStream, listLogsOfStream, recordAudit, type ReadDatabase } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, hasScope, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { Operation } from '../http/operation.js';
import { notFound, ProblemError } from '../http/problem-error.js';
import { pathId, streamPathId } from '../http/scalars.js';
import { toCompaction } from './compaction-wire.js';
import { compaction, requestCompactionBody, type Compaction, type RequestCompactionBody } from './compaction.schema.js';
import { requestRefused, retryRefused, rollBackRefused } from './compaction-refusals.js';

/** What an admin may do about compactions; `allowed_actions` of each names what would be accepted now. */
@ApiTags('admin: compactions')
@Controller('v1/admin')
export class CompactionVerbsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'requestCompaction',
    summary: 'Ask for a compaction of a conversation',
    description:
      'Of all that may be summarised, whatever back-off and caps say. So a stream that stands at its hard cap is freed before its run is retried.',
    scope: 'admin:write',
    status: 202,
    answers: { 202: { description: 'Requested.', schema: compaction } },
  })
  @ApiIdempotencyKey()
  @Post('streams/:stream/compactions')
  async request(
    @Param('stream', { schema: streamPathId }) streamId: string,
    @Body({ schema: requestCompactionBody }) body: RequestCompactionBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Compaction> {
    const given = {
      step_id: body?.step_id ?? null,
      item: body?.item ?? null,
      run_id: body?.run_id ?? null,
      min_tail_turns: body?.min_tail_turns ?? null,
    };
    return this.once(`compact:${streamId}`, key, given, caller, reply, async () => {
      const place = await this.placeOf(caller.projectId, streamId, given);
      const command = {
        projectId: caller.projectId,
        streamId,
        ...place,
        runId: given.run_id,
        minTailTurns: given.min_tail_turns,
      };
      const result = await requestStreamCompaction(this.parts.engine, command);
      if (result.status !== 'requested') throw requestRefused(result, streamId);
      return this.done(caller, 'compaction.requested', result.compactionId);
    });
  }

  @Operation({
    id: 'retryCompaction',
    summary: 'Ask again for a range that was not compacted',
    description: 'A request of its own, on top of what the view shows now; back-off and breaker do not hold it back.',
    scope: 'admin:write',
    status: 202,
    answers: { 202: { description: 'The new request.', schema: compaction } },
  })
  @ApiIdempotencyKey()
  @Post('compactions/:compaction/retry')
  async retry(
    @Param('compaction', { schema: pathId }) compactionId: string,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Compaction> {
    const { projectId } = caller;
    return this.once(`retry:${compactionId}`, key, {}, caller, reply, async () => {
      const result = await retryCompaction(this.parts.engine, { projectId, compactionId });
      if (result.status !== 'requested') throw retryRefused(result, compactionId);
      return this.done(caller, 'compaction.retried', result.compactionId);
    });
  }

  @Operation({
    id: 'rollBackCompaction',
    summary: 'Take a summary out of the contexts again',
    description:
      'The next context shows the events again, or the summary that this one superseded. The same range is not summarised again as it is.',
    scope: 'admin:write',
    answers: { 200: { description: 'The compaction, rolled back.', schema: compaction } },
  })
  @ApiIdempotencyKey()
  @Post('compactions/:compaction/rollback')
  async rollBack(
    @Param('compaction', { schema: pathId }) compactionId: string,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Compaction> {
    const { projectId } = caller;
    return this.once(`rollback:${compactionId}`, key, {}, caller, reply, async () => {
      const result = await rollBackCompaction(this.parts.engine, { projectId, compactionId });
      if (result.status !== 'rolled_back') throw rollBackRefused(result, compactionId);
      return this.done(caller, 'compaction.rolled_back', compactionId);
    });
  }

  private once(
    scope: string,
    key: string | null,
    body: { [name: string]: string | number | null },
    { projectId }: Caller,
    reply: FastifyReply,
    perform: () => Promise<Compaction>,
  ): Promise<Compaction> {
    const deed = { projectId, scope, key, body, reply };
    // An answer that is replayed must not show a summary to whoever may not read it.
    const stored = (answer: Compaction): Compaction => ({ ...answer, summary: null });
    return doOnce(this.parts.engine, deed, perform, stored, (answer) => compaction.parse(answer));
  }

  private async done(caller: Caller, action: string, compactionId: string): Promise<Compaction> {
    const { projectId, keyId } = caller;
    await recordAudit(this.db, { projectId, actor: keyId, action, subject: compactionId, detail: {} });
    const row = await findCompaction(this.db, projectId, compactionId);
    if (row === null) throw notFound('compaction_not_found', `Compaction ${compactionId}`);
    return toCompaction(row, hasScope(caller, 'content:read'));
  }

  /** The step and item of a sub-stream's id, of the body, or of the only sub-stream there is. */
  private async placeOf(
    projectId: string,
    streamId: string,
    { step_id: stepId, item }: { step_id: string | null; item: number | null },
  ): Promise<{ stepId: string; item: number | null }> {
    if ((await findStream(this.db, projectId, streamId)) === null)
      throw notFound('stream_not_found', `Stream ${streamId}`);
    if (stepId !== null) return { stepId, item };
    const root = rootStreamId(streamId);
    const logs = streamId === root ? await listLogsOfStream(this.db, projectId, root) : [{ streamId }];
    const places = logs.map((log) => placeIn(log.streamId)).filter((place) => place !== null);
    const fitting = item === null ? places : places.filter((place) => place.item === item);
    const [only] = fitting;
    if (only !== undefined && fitting.length === 1) return only;
    throw new ProblemError('invalid_request', 'Say which conversation: the stream has none or several.', {
      errors: [
        {
          in: 'body',
          pointer: '#/step_id',
          code: 'required',
          detail: `one of: ${places.map((place) => subStreamId(root, place.stepId, place.item)).join(', ') || 'none'}`,
        },
      ],
    });
  }

  private get db(): ReadDatabase {
    return this.parts.database.kysely;
  }
}

function placeIn(subStream: string): { stepId: string; item: number | null } | null {
  const match = /:step:([^:]+)(?::item:(\d+))?$/.exec(subStream);
  const [, stepId, item] = match ?? [];
  return stepId === undefined ? null : { stepId, item: item === undefined ? null : Number(item) };
}
