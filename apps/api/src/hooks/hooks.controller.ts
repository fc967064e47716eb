import { Body, Controller, Delete, Get, Inject, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { parseDurationMs } from '#libs/domain';
import { checkHook, type HookRecord } from '#libs/engine';
import { deleteHook, findHook, listHooks, putHook, rotateHookSecret } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound, ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { faultsOfDocument } from '../pipelines/document-faults.js';
import { triggerName } from '../schedules/schedule.schema.js';
import { DEFAULT_OVERLAP } from '../webhooks/webhook.schema.js';
import { hookSecret } from './hook-secret.js';
import {
  hook,
  hookBody,
  hookListQuery,
  hookWithSecret,
  rotateHookSecretBody,
  type Hook,
  type HookBody,
  type HookWithSecretAnswer,
  type RotateHookSecretBody,
} from './hook.schema.js';

@ApiTags('hooks')
@Controller('v1/hooks')
export class HooksController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'putHook',
    summary: 'Make a way in for another system, or change one',
    description:
      'A verified delivery starts a run or sends a signal, once for each of the sender’s ids. Expressions are over `body`, `headers` (names in lower case) and `hook` (`name`). `delivery_id`: a template of the sender’s id; without it what the standard says (`webhook-id`, `idempotency-key`), for `hmac_sha256` else the signed content. `when`: deliveries for which it is not true are ignored.',
    scope: 'admin:write',
    answers: { 200: { description: 'The hook, with its secret where it is new.', schema: hookWithSecret } },
  })
  @Put(':hook')
  async put(
    @Param('hook', { schema: triggerName }) name: string,
    @Body({ schema: hookBody }) body: HookBody,
    @FromCaller() caller: Caller,
  ): Promise<HookWithSecretAnswer> {
    const { projectId, keyId } = caller;
    const { verification, action, delivery_id: deliveryIdTemplate, when: condition } = body;
    const faults = await checkHook(this.parts.engine, { projectId, action, deliveryIdTemplate, condition });
    if (faults.length > 0)
      throw new ProblemError('invalid_request', 'The hook cannot be used.', { errors: faultsOfDocument(faults) });
    const before = await findHook(this.parts.database.kysely, projectId, name);
    const needsSecret = body.secret != null || before?.verification.kind !== verification.kind;
    const secret = needsSecret ? hookSecret(verification.kind, body.secret ?? null) : null;
    const stored = await putHook(this.parts.database.kysely, {
      ...{ projectId, name, actor: keyId, verification, action, deliveryIdTemplate, condition },
      ...{ hookId: this.parts.engine.newId('hook'), secret: secret?.stored ?? null },
    });
    // A given one is known to who gave it.
    return { ...toHook(stored), secret: body.secret == null ? (secret?.shown ?? null) : null };
  }

  @Operation({
    id: 'listHooks',
    summary: 'Hooks of the project',
    scope: 'admin:read',
    answers: { 200: { description: 'A page of hooks, by name.', schema: pageOf(hook) } },
  })
  @Get()
  async list(
    @Query({ schema: hookListQuery }) query: z.output<typeof hookListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<Hook>> {
    const after = decodeCursor(query.cursor, {});
    const page = { after: after === null ? null : String(after[0]), limit: query.limit };
    const rows = await listHooks(this.parts.database.kysely, caller.projectId, page);
    return toPage(rows, query.limit, {}, (row) => [row.name], toHook);
  }

  @Operation({
    id: 'getHook',
    summary: 'One hook',
    scope: 'admin:read',
    answers: { 200: { description: 'The hook.', schema: hook } },
  })
  @Get(':hook')
  async get(@Param('hook', { schema: pathId }) name: string, @FromCaller() caller: Caller): Promise<Hook> {
    const found = await findHook(this.parts.database.kysely, caller.projectId, name);
    if (found === null) throw hookNotFound(name);
    return toHook(found);
  }

  @Operation({
    id: 'deleteHook',
    summary: 'Delete a hook',
    description: 'Its address answers 404 from then on.',
    scope: 'admin:write',
    answers: { 204: { description: 'Deleted.' } },
  })
  @Delete(':hook')
  async delete(@Param('hook', { schema: pathId }) name: string, @FromCaller() caller: Caller): Promise<void> {
    const place = { projectId: caller.projectId, name, actor: caller.keyId };
    if (!(await deleteHook(this.parts.database.kysely, place))) throw hookNotFound(name);
  }

  @Operation({
    id: 'rotateHookSecret',
    summary: 'Give a hook a new secret',
    description: 'Both are taken during `overlap`.',
    scope: 'admin:write',
    answers: { 200: { description: 'The hook, with its new secret.', schema: hookWithSecret } },
  })
  @ApiIdempotencyKey()
  @Post(':hook/rotate-secret')
  rotate(
    @Param('hook', { schema: pathId }) name: string,
    @Body({ schema: rotateHookSecretBody }) body: RotateHookSecretBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HookWithSecretAnswer> {
    const { overlap = DEFAULT_OVERLAP, secret: given = null } = body ?? {};
    const deed = { projectId: caller.projectId, scope: `hook-secret:${name}`, key, body: { overlap, given }, reply };
    return doOnce<HookWithSecretAnswer>(
      this.parts.engine,
      deed,
      () => this.rotated({ projectId: caller.projectId, name, actor: caller.keyId }, overlap, given),
      (answer) => ({ ...answer, secret: null }),
      (stored) => hookWithSecret.parse(stored),
    );
  }

  private async rotated(
    place: { projectId: string; name: string; actor: string },
    overlap: string,
    given: string | null,
  ): Promise<HookWithSecretAnswer> {
    const found = await findHook(this.parts.database.kysely, place.projectId, place.name);
    if (found === null) throw hookNotFound(place.name);
    const { shown, stored } = hookSecret(found.verification.kind, given);
    const rotation = { secret: stored, overlapMs: parseDurationMs(overlap) ?? 0 };
    const rotated = await rotateHookSecret(this.parts.database.kysely, place, rotation);
    if (rotated === null) throw hookNotFound(place.name);
    return { ...toHook(rotated), secret: given === null ? shown : null };
  }
}

export const hookNotFound = (name: string): ProblemError => notFound('hook_not_found', `Hook ${name}`);

function toHook(row: HookRecord): Hook {
  return {
    name: row.name,
    id: row.hookId,
    path: `/v1/hooks/${row.hookId}`,
    verification: row.verification,
    action: row.action,
    delivery_id: row.deliveryIdTemplate,
    when: row.condition,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
