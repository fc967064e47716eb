import { Controller, Inject, Param, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { parseApiKeyToken, receiveDelivery, type HookDelivery, type HookWithSecrets } from '#libs/engine';
import { findHookById, findHookByName } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { KeyRegistry } from '../auth/key-registry.js';
import { RawText } from '../http/body-parsers.js';
import { Operation } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { faultsOfDocument } from '../pipelines/document-faults.js';
import { hookNotFound } from './hooks.controller.js';
import { hookReceipt, type HookReceiptAnswer } from './hook.schema.js';

const BODY_LIMIT_BYTES = 1024 * 1024;

/** Where other systems deliver. They have no API key: the hook says how they show who they are. */
@ApiTags('hooks')
@Controller('v1/hooks')
export class HookDeliveriesController {
  constructor(
    @Inject(API_PARTS) private readonly parts: ApiParts,
    private readonly keys: KeyRegistry,
  ) {}

  @Operation({
    id: 'deliverToHook',
    summary: 'Deliver to a hook',
    description:
      'The body: JSON or a form, at most 1 MiB. `hook` is the id of the hook’s `path`, and the delivery is verified as the hook says; or its name, with an API key that has the scope `runs:write`. The same delivery again (by the sender’s id) does nothing and gets the same receipt.',
    scope: 'public',
    answers: { 202: { description: 'Taken.', schema: hookReceipt } },
  })
  @Post(':hook')
  async receive(
    @Param('hook', { schema: pathId }) hookId: string,
    @Req() request: FastifyRequest,
  ): Promise<HookReceiptAnswer> {
    const delivery = deliveryOf(request);
    const { hook, isTrusted } = await this.find(hookId, delivery);
    const result = await receiveDelivery(this.parts.engine, hook, delivery, isTrusted);
    switch (result.status) {
      case 'unverified':
        throw new ProblemError('delivery_unverified', result.detail);
      case 'malformed':
        throw new ProblemError('malformed_json', result.detail);
      case 'unusable':
        throw new ProblemError('invalid_request', 'The delivery does not fit what the hook makes of it.', {
          errors: faultsOfDocument(result.faults),
        });
      case 'received': {
        const { outcome, runId, signalId } = result.receipt;
        return { outcome, run_id: runId, signal_id: signalId, repeated: result.isRepeated };
      }
    }
  }

  /** By its id for anybody who is verified then, by its name for who has a key of the project. */
  private async find(
    hookId: string,
    { headers }: HookDelivery,
  ): Promise<{ hook: HookWithSecrets; isTrusted: boolean }> {
    const db = this.parts.database.kysely;
    const byId = await findHookById(db, hookId);
    if (byId !== null) return { hook: byId, isTrusted: false };
    const [, token = ''] = (headers['authorization'] ?? '').split(' ');
    const caller = parseApiKeyToken(token) === null ? null : await this.keys.authenticate(token);
    const byName = caller === null ? null : await findHookByName(db, caller.projectId, hookId);
    if (caller === null || byName === null) throw hookNotFound(hookId);
    if (!caller.scopes.has('runs:write'))
      throw new ProblemError('scope_missing', 'This needs a key with the scope runs:write.', {
        requiredScope: 'runs:write',
      });
    return { hook: byName, isTrusted: true };
  }
}

function deliveryOf(request: FastifyRequest): HookDelivery {
  const body = request.body instanceof RawText ? request.body.text : '';
  if (Buffer.byteLength(body) > BODY_LIMIT_BYTES)
    throw new ProblemError('body_too_large', 'The body of a delivery may have at most 1 MiB.');
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return { headers: Object.fromEntries(headers), contentType: request.headers['content-type'] ?? '', body };
}
