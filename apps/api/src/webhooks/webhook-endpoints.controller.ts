import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { mintWebhookSecret } from '#libs/engine';
import { changeEndpoint, createEndpoint, deleteEndpoint, findEndpoint, listEndpoints } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, hasScope, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { endpointNotFound, toEndpoint } from './webhook-wire.js';
import {
  changeEndpointBody,
  endpoint,
  endpointListQuery,
  endpointWithSecret,
  newEndpointBody,
  type ChangeEndpointBody,
  type Endpoint,
  type EndpointWithSecret,
  type NewEndpointBody,
} from './webhook.schema.js';

@ApiTags('webhooks')
@Controller('v1/webhook-endpoints')
export class WebhookEndpointsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'createWebhookEndpoint',
    summary: 'Have events sent to an address',
    description:
      'Each event of the named types is a POST, signed as Standard Webhooks say and repeated until it is answered with 2xx. Without `event_types`: the end of every run. With `include_content` (the key needs `content:read`) the event’s data with inputs, outputs and prompts are in it.',
    scope: 'admin:write',
    answers: { 201: { description: 'The endpoint, with its secret.', schema: endpointWithSecret } },
  })
  @ApiIdempotencyKey()
  @Post()
  async create(
    @Body({ schema: newEndpointBody }) body: NewEndpointBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EndpointWithSecret> {
    await this.check(body, caller);
    const deed = { projectId: caller.projectId, scope: 'webhook-endpoints', key, body, reply };
    return doOnce<EndpointWithSecret>(
      this.parts.engine,
      deed,
      async () => {
        const secret = mintWebhookSecret();
        const created = await createEndpoint(this.parts.database.kysely, {
          ...{ projectId: caller.projectId, endpointId: this.parts.engine.newId('whe'), actor: caller.keyId, secret },
          ...{ url: body.url, description: body.description },
          ...{ eventTypes: body.event_types, includesContent: body.include_content },
        });
        return { ...toEndpoint(created), secret };
      },
      (answer) => ({ ...answer, secret: null }),
      (stored) => endpointWithSecret.parse(stored),
    );
  }

  @Operation({
    id: 'listWebhookEndpoints',
    summary: 'Webhook endpoints of the project',
    scope: 'admin:read',
    answers: { 200: { description: 'A page of endpoints, oldest first.', schema: pageOf(endpoint) } },
  })
  @Get()
  async list(
    @Query({ schema: endpointListQuery }) query: z.output<typeof endpointListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<Endpoint>> {
    const after = decodeCursor(query.cursor, {});
    const page = { after: after === null ? null : String(after[0]), limit: query.limit };
    const rows = await listEndpoints(this.parts.database.kysely, caller.projectId, page);
    return toPage(rows, query.limit, {}, (row) => [row.endpointId], toEndpoint);
  }

  @Operation({
    id: 'getWebhookEndpoint',
    summary: 'One webhook endpoint',
    scope: 'admin:read',
    answers: { 200: { description: 'The endpoint.', schema: endpoint } },
  })
  @Get(':endpoint')
  async get(@Param('endpoint', { schema: pathId }) id: string, @FromCaller() caller: Caller): Promise<Endpoint> {
    const found = await findEndpoint(this.parts.database.kysely, caller.projectId, id);
    if (found === null) throw endpointNotFound(id);
    return toEndpoint(found);
  }

  @Operation({
    id: 'changeWebhookEndpoint',
    summary: 'Change, disable or enable a webhook endpoint',
    description:
      'A disabled one gets no new deliveries; what waits for it goes on when it is enabled again. An endpoint that took nothing for three days, or that answered 410, is disabled by itself.',
    scope: 'admin:write',
    answers: { 200: { description: 'The endpoint.', schema: endpoint } },
  })
  @Patch(':endpoint')
  async change(
    @Param('endpoint', { schema: pathId }) id: string,
    @Body({ schema: changeEndpointBody }) body: ChangeEndpointBody,
    @FromCaller() caller: Caller,
  ): Promise<Endpoint> {
    await this.check(body, caller);
    const { url, description, event_types, include_content, enabled } = body;
    const place = { projectId: caller.projectId, endpointId: id, actor: caller.keyId };
    const changed = await changeEndpoint(this.parts.database.kysely, place, {
      ...(url === undefined ? {} : { url }),
      ...(description === undefined ? {} : { description }),
      ...(event_types === undefined ? {} : { eventTypes: event_types }),
      ...(include_content === undefined ? {} : { includesContent: include_content }),
      ...(enabled === undefined ? {} : { enabled }),
    });
    if (changed === null) throw endpointNotFound(id);
    return toEndpoint(changed);
  }

  @Operation({
    id: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'With its ledger; what waits for it is not sent any more.',
    scope: 'admin:write',
    answers: { 204: { description: 'Deleted.' } },
  })
  @Delete(':endpoint')
  async delete(@Param('endpoint', { schema: pathId }) id: string, @FromCaller() caller: Caller): Promise<void> {
    const place = { projectId: caller.projectId, endpointId: id, actor: caller.keyId };
    if (!(await deleteEndpoint(this.parts.database.kysely, place))) throw endpointNotFound(id);
  }

  private async check(
    body: { url?: string | undefined; include_content?: boolean | undefined },
    caller: Caller,
  ): Promise<void> {
    if (body.include_content === true && !hasScope(caller, 'content:read'))
      throw new ProblemError('scope_missing', 'Sending content needs a key with the scope content:read.', {
        requiredScope: 'content:read',
      });
    const refusal = body.url === undefined ? null : await this.parts.engine.webhooks.refusal(body.url);
    if (refusal === null) return;
    const error = { in: 'body' as const, pointer: '#/url', code: 'url_refused', detail: refusal };
    throw new ProblemError('invalid_request', `The address cannot be used: ${refusal}.`, { errors: [error] });
  }
}
