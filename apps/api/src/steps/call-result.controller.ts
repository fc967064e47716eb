import { Body, Controller, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { completeToolCall } from '#libs/engine';
import { contentSchema, parseJson } from '#libs/domain';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { Operation } from '../http/operation.js';
import { notFound, ProblemError } from '../http/problem-error.js';
import { pathId, versionNumber } from '../http/scalars.js';
import {
  callResultAnswer,
  callResultBody,
  callResultQuery,
  type CallResultAnswer,
  type CallResultBody,
  type CallResultQuery,
} from './call-result.schema.js';

type Place = { runId: string; stepId: string; item: number | null; callNo: number };

@ApiTags('steps')
@Controller('v1/runs/:run/steps/:step/calls/:call')
export class CallResultController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'completeToolCall',
    summary: 'A tool’s late result',
    description:
      'For a call whose tool answered that its result comes later; `call` is the number of the model call that asked for it (1 for tool steps, whose `tool_call_id` is the step’s id). The step goes on when nothing else is awaited.',
    scope: 'runs:write',
    answers: { 202: { description: 'The result is stored.', schema: callResultAnswer } },
  })
  @ApiIdempotencyKey()
  @Post('result')
  async complete(
    @Param('run', { schema: pathId }) runId: string,
    @Param('step', { schema: pathId }) stepId: string,
    @Param('call', { schema: versionNumber }) callNo: number,
    @Query({ schema: callResultQuery }) query: CallResultQuery,
    @Body({ schema: callResultBody }) body: CallResultBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CallResultAnswer> {
    const place = { runId, stepId, item: query.item ?? null, callNo };
    const scope = `result:${runId}/${stepId}/${place.item ?? ''}/${callNo}`;
    const given = parseJson(JSON.stringify(body));
    return doOnce(
      this.parts.engine,
      { projectId: caller.projectId, scope, key, body: given, reply },
      () => this.store(place, body, caller),
      (answer) => answer,
      (stored) => callResultAnswer.parse(stored),
    );
  }

  private async store(place: Place, body: CallResultBody, caller: Caller): Promise<CallResultAnswer> {
    const { tool_call_id: toolCallId, is_error: isError } = body;
    const content = contentSchema.parse(body.content);
    const { projectId } = caller;
    const result = await completeToolCall(this.parts.engine, { projectId, ...place, toolCallId, content, isError });
    const { runId, stepId, callNo } = place;
    switch (result.status) {
      case 'not_found':
        throw notFound('call_not_found', `Tool call ${toolCallId} in call ${callNo} of step ${stepId}`);
      case 'not_pending':
        throw new ProblemError(
          'wrong_state',
          `Tool call ${toolCallId} awaits no result: it has its own, or never said that one comes later.`,
        );
      case 'completed':
        return { run_id: runId, step_id: stepId, call: callNo, tool_call_id: toolCallId };
    }
  }
}
