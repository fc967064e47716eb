import { Body, Controller, Delete, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { mintApiKey } from '#libs/engine';
import { createApiKey, listApiKeys, revokeApiKey, type ApiKeyRecord } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { KeyRegistry } from '../auth/key-registry.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound, ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { projectInReach, projectNotFound } from './installation-admin.js';
import {
  apiKey,
  apiKeyListQuery,
  issuedApiKey,
  newApiKeyBody,
  type ApiKey,
  type IssuedApiKey,
  type NewApiKeyBody,
} from './project.schema.js';

@ApiTags('admin: projects and keys')
@Controller('v1/admin/api-keys')
export class ApiKeysController {
  constructor(
    @Inject(API_PARTS) private readonly parts: ApiParts,
    private readonly keys: KeyRegistry,
  ) {}

  @Operation({
    id: 'createApiKey',
    summary: 'Issue a key',
    description: 'The key is shown in this answer only. A key can give no scope that it does not have itself.',
    scope: 'admin:write',
    answers: { 201: { description: 'The key.', schema: issuedApiKey } },
  })
  @ApiIdempotencyKey()
  @Post()
  create(
    @Body({ schema: newApiKeyBody }) body: NewApiKeyBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IssuedApiKey> {
    const projectId = projectInReach(caller, body.project_id);
    const lacking = body.scopes.find((scope) => !caller.scopes.has(scope));
    if (lacking !== undefined) {
      throw new ProblemError('scope_missing', `The asking key lacks ${lacking} and so cannot give it.`, {
        requiredScope: lacking,
      });
    }
    const deed = { projectId: caller.projectId, scope: 'api-keys', key, body, reply };
    return doOnce(
      this.parts.engine,
      deed,
      () => this.issue({ ...body, project_id: projectId }, caller),
      (issued) => ({ ...issued, key: null }),
      (stored) => issuedApiKey.parse(stored),
    );
  }

  private async issue(body: NewApiKeyBody & { project_id: string }, caller: Caller): Promise<IssuedApiKey> {
    const minted = mintApiKey();
    const scopes = [...new Set(body.scopes)];
    const created = await createApiKey(this.parts.database.kysely, {
      projectId: body.project_id,
      keyId: minted.keyId,
      name: body.name,
      secretHash: minted.secretHash,
      scopes,
      actor: caller.keyId,
    });
    if (created === null) throw projectNotFound(body.project_id);
    return { ...toApiKey(created), key: minted.token };
  }

  @Operation({
    id: 'listApiKeys',
    summary: 'Keys of a project',
    scope: 'admin:read',
    answers: { 200: { description: 'A page of keys, oldest first.', schema: pageOf(apiKey) } },
  })
  @Get()
  async list(
    @Query({ schema: apiKeyListQuery }) query: z.output<typeof apiKeyListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<ApiKey>> {
    const projectId = projectInReach(caller, query.project_id);
    const filters = { projectId };
    const after = decodeCursor(query.cursor, filters);
    const page = { after: after === null ? null : String(after[0]), limit: query.limit };
    const rows = await listApiKeys(this.parts.database.kysely, projectId, page);
    return toPage(rows, query.limit, filters, (row) => [row.keyId], toApiKey);
  }

  @Operation({
    id: 'revokeApiKey',
    summary: 'Revoke a key',
    description: 'It stops working within seconds, in every process. Revoking again changes nothing.',
    scope: 'admin:write',
    answers: { 200: { description: 'The revoked key.', schema: apiKey } },
  })
  @Delete(':key')
  async revoke(@Param('key', { schema: pathId }) keyId: string, @FromCaller() caller: Caller): Promise<ApiKey> {
    const revoked = await revokeApiKey(this.parts.database.kysely, {
      projectId: caller.projectId,
      keyId,
      actor: caller.keyId,
    });
    if (revoked === null) throw notFound('api_key_not_found', `Key ${keyId}`);
    this.keys.forget(keyId);
    return toApiKey(revoked);
  }
}

function toApiKey(row: ApiKeyRecord): ApiKey {
  return {
    id: row.keyId,
    project_id: row.projectId,
    name: row.name,
    scopes: row.scopes,
    created_at: row.createdAt,
    revoked_at: row.revokedAt,
  };
}
