import { Body, Controller, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { sendSignal } from '#libs/engine';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { Operation } from '../http/operation.js';
import { sentSignal, signalBody, signalName, type SentSignal, type SignalBody } from './signal.schema.js';

@ApiTags('signals')
@Controller('v1/signals')
export class SignalsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'sendSignal',
    summary: 'Send a signal that a run waits for, or will',
    description:
      'One signal wakes one `wait_for` step of the same name and key, the one that has waited longest. A signal that comes first is kept. Send an Idempotency-Key where a repeated request must not count twice.',
    scope: 'runs:write',
    answers: { 202: { description: 'The signal is kept, and delivered where somebody waited.', schema: sentSignal } },
  })
  @ApiIdempotencyKey()
  @Post(':name')
  async send(
    @Param('name', { schema: signalName }) name: string,
    @Body({ schema: signalBody }) body: SignalBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SentSignal> {
    const signal = { projectId: caller.projectId, name, key: body.key, payload: body.payload ?? null };
    const given = { key: signal.key, payload: signal.payload };
    const deed = { projectId: caller.projectId, scope: `signal:${name}`, key, body: given, reply };
    return doOnce(
      this.parts.engine,
      deed,
      async () => {
        const sent = await sendSignal(this.parts.engine, signal);
        return { id: sent.signalId, name, key: signal.key, run_id: sent.deliveredTo };
      },
      (answer) => answer,
      (stored) => sentSignal.parse(stored),
    );
  }
}
