import { Body, Controller, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { parseDurationMs } from '#libs/domain';
import { mintWebhookSecret, TEST_EVENT_TYPE } from '#libs/engine';
import { findEndpoint, insertTestDelivery, listDeliveries, redeliver, rotateEndpointSecret } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { endpointNotFound, toDelivery, toEndpoint } from './webhook-wire.js';
import {
  DEFAULT_OVERLAP,
  delivery,
  deliveryListQuery,
  endpointWithSecret,
  redeliverBody,
  redelivered,
  REDELIVER_LIMIT,
  rotateSecretBody,
  type Delivery,
  type DeliveryListQuery,
  type EndpointWithSecret,
  type RedeliverBody,
  type Redelivered,
  type RotateSecretBody,
} from './webhook.schema.js';

@ApiTags('webhooks')
@Controller('v1/webhook-endpoints/:endpoint')
export class WebhookDeliveriesController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'listWebhookDeliveries',
    summary: 'What was sent to an endpoint, and what was not',
    description: 'Deliveries that were taken are kept for 30 days, dead ones until the endpoint is deleted.',
    scope: 'admin:read',
    answers: { 200: { description: 'A page of deliveries, newest first.', schema: pageOf(delivery) } },
  })
  @Get('deliveries')
  async list(
    @Param('endpoint', { schema: pathId }) id: string,
    @Query({ schema: deliveryListQuery }) query: DeliveryListQuery,
    @FromCaller() caller: Caller,
  ): Promise<Page<Delivery>> {
    await this.mustExist(caller, id);
    const { limit, cursor, ...given } = query;
    const filters = { ...given, endpoint: id };
    const after = decodeCursor(cursor, filters);
    const key = after === null ? null : { createdAt: String(after[0]), deliveryId: String(after[1]) };
    const of = {
      ...{ projectId: caller.projectId, endpointId: id },
      ...(query.status === undefined ? {} : { status: query.status }),
      ...(query.run_id === undefined ? {} : { runId: query.run_id }),
    };
    const rows = await listDeliveries(this.parts.database.kysely, of, { after: key, limit });
    return toPage(rows, limit, filters, (row) => [row.createdAt, row.deliveryId], toDelivery);
  }

  @Operation({
    id: 'testWebhookEndpoint',
    summary: 'Send a test delivery',
    description: 'Of the type `WebhookTest`. A worker sends it within seconds; look for it among the deliveries.',
    scope: 'admin:write',
    answers: { 202: { description: 'The delivery, not yet sent.', schema: delivery } },
  })
  @ApiIdempotencyKey()
  @Post('test')
  test(
    @Param('endpoint', { schema: pathId }) id: string,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Delivery> {
    const deed = { projectId: caller.projectId, scope: `webhook-test:${id}`, key, body: {}, reply };
    return doOnce(
      this.parts.engine,
      deed,
      async () => {
        await this.mustExist(caller, id, 'enabled');
        const { projectId } = caller;
        const deliveryId = this.parts.engine.newId('whd');
        const test = { projectId, endpointId: id, deliveryId, eventType: TEST_EVENT_TYPE };
        return toDelivery(await insertTestDelivery(this.parts.database.kysely, test));
      },
      (answer) => answer,
      (stored) => delivery.parse(stored),
    );
  }

  @Operation({
    id: 'rotateWebhookSecret',
    summary: 'Give an endpoint a new secret',
    description: 'Both sign side by side during `overlap`, so that receivers can change over without a gap.',
    scope: 'admin:write',
    answers: { 200: { description: 'The endpoint, with its new secret.', schema: endpointWithSecret } },
  })
  @ApiIdempotencyKey()
  @Post('rotate-secret')
  rotate(
    @Param('endpoint', { schema: pathId }) id: string,
    @Body({ schema: rotateSecretBody }) body: RotateSecretBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EndpointWithSecret> {
    const { overlap = DEFAULT_OVERLAP } = body ?? {};
    const deed = { projectId: caller.projectId, scope: `webhook-secret:${id}`, key, body: { overlap }, reply };
    return doOnce<EndpointWithSecret>(
      this.parts.engine,
      deed,
      async () => {
        const secret = mintWebhookSecret();
        const place = { projectId: caller.projectId, endpointId: id, actor: caller.keyId };
        const rotation = { secret, overlapMs: parseDurationMs(overlap) ?? 0 };
        const rotated = await rotateEndpointSecret(this.parts.database.kysely, place, rotation);
        if (rotated === null) throw endpointNotFound(id);
        return { ...toEndpoint(rotated), secret };
      },
      (answer) => ({ ...answer, secret: null }),
      (stored) => endpointWithSecret.parse(stored),
    );
  }

  @Operation({
    id: 'redeliverWebhooks',
    summary: 'Send deliveries again',
    description: 'Dead ones or those that were taken, under the same ids; receivers know them by `webhook-id`.',
    scope: 'admin:write',
    answers: { 202: { description: 'How many are sent again.', schema: redelivered } },
  })
  @ApiIdempotencyKey()
  @Post('redeliver')
  redeliver(
    @Param('endpoint', { schema: pathId }) id: string,
    @Body({ schema: redeliverBody }) body: RedeliverBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Redelivered> {
    const { delivery_ids: deliveryIds = null, status = null, since = null } = body;
    const given = { delivery_ids: deliveryIds, status, since };
    const deed = { projectId: caller.projectId, scope: `redeliver:${id}`, key, body: given, reply };
    return doOnce(
      this.parts.engine,
      deed,
      async () => {
        await this.mustExist(caller, id, 'enabled');
        const place = { projectId: caller.projectId, endpointId: id, actor: caller.keyId };
        const order = { ...place, deliveryIds, status, since, limit: REDELIVER_LIMIT };
        return { redelivered: await redeliver(this.parts.database.kysely, order) };
      },
      (answer) => answer,
      (stored) => redelivered.parse(stored),
    );
  }

  private async mustExist({ projectId }: Caller, id: string, state?: 'enabled'): Promise<void> {
    const found = await findEndpoint(this.parts.database.kysely, projectId, id);
    if (found === null) throw endpointNotFound(id);
    if (state === 'enabled' && found.disabledAt !== null)
      throw new ProblemError('wrong_state', `Endpoint ${id} is disabled; enable it first.`);
  }
}
