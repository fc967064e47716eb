import { Controller, Delete, Get, Inject, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { Json } from '#libs/domain';
import { applyPipeline, validatePipeline } from '#libs/engine';
import { deletePipeline, findPipeline, listPipelines, recordAudit, type PipelineRecord } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { ApiDocument, FromDocument } from '../http/document-body.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { pipelineInvalid } from './document-faults.js';
import {
  appliedPipeline,
  applyQuery,
  pipeline,
  pipelineListQuery,
  validatedPipeline,
  type AppliedPipeline,
  type Pipeline,
  type ValidatedPipeline,
} from './pipeline.schema.js';

@ApiTags('pipelines')
@Controller('v1/pipelines')
export class PipelinesController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'applyPipeline',
    summary: 'Apply a pipeline',
    description: 'The same content again changes nothing; new content is the next version and, unless `promote=false`, what `live` points to.',
    scope: 'pipelines:write',
    answers: {
      200: { description: 'The version that holds this content already.', schema: appliedPipeline },
      201: { description: 'A new version.', schema: appliedPipeline },
    },
  })
  @ApiDocument('The pipeline.')
  @Put(':name')
  async apply(
    @Param('name', { schema: pathId }) name: string,
    @Query({ schema: applyQuery }) query: z.output<typeof applyQuery>,
    @FromDocument() document: Json,
    @FromCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AppliedPipeline> {
    const promote = query.promote === 'true';
    const { projectId } = caller;
    const applied = await applyPipeline(this.parts.engine, { projectId, name, document, promote });
    if (!applied.ok) throw pipelineInvalid(applied.errors);
    const { version, created, notes } = applied;
    await recordAudit(this.parts.database.kysely, {
      projectId,
      actor: caller.keyId,
      action: 'pipeline.applied',
      subject: name,
      detail: { version, created, promoted: promote },
    });
    // Once: the same document again makes no new version.
    if (created) for (const note of notes) this.parts.logger.info({ pipeline: name, version, ...note }, 'pipeline note');
    reply.status(created ? 201 : 200);
    return { name, version, created, promoted: promote, notes: [...notes] };
  }

  @Operation({
    id: 'validatePipeline',
    summary: 'Check a pipeline without storing it',
    scope: 'any',
    answers: { 200: { description: 'It would be accepted. Faults are answered as 422.', schema: validatedPipeline } },
  })
  @ApiDocument('The pipeline.')
  @Post('validate')
  validate(@FromDocument() document: Json): ValidatedPipeline {
    const checked = validatePipeline(this.parts.engine, document);
    if (!checked.ok) throw pipelineInvalid(checked.errors);
    return { valid: true, name: checked.definition.name, notes: [...checked.notes] };
  }

  @Operation({
    id: 'listPipelines',
    summary: 'Pipelines of the project',
    scope: 'runs:read',
    answers: { 200: { description: 'A page of pipelines, by name.', schema: pageOf(pipeline) } },
  })
  @Get()
  async list(
    @Query({ schema: pipelineListQuery }) query: z.output<typeof pipelineListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<Pipeline>> {
    const after = decodeCursor(query.cursor, {});
    const page = { after: after === null ? null : String(after[0]), limit: query.limit };
    const rows = await listPipelines(this.parts.database.kysely, caller.projectId, page);
    return toPage(rows, query.limit, {}, (row) => [row.name], toPipeline);
  }

  @Operation({
    id: 'getPipeline',
    summary: 'One pipeline with its aliases',
    scope: 'runs:read',
    answers: { 200: { description: 'The pipeline.', schema: pipeline } },
  })
  @Get(':name')
  async get(@Param('name', { schema: pathId }) name: string, @FromCaller() caller: Caller): Promise<Pipeline> {
    const found = await findPipeline(this.parts.database.kysely, { projectId: caller.projectId, name });
    if (found === null) throw notFound('pipeline_not_found', `Pipeline ${name}`);
    return toPipeline(found);
  }

  @Operation({
    id: 'deletePipeline',
    summary: 'Delete a pipeline',
    description: 'No new runs start; those under way and its versions stay. Applying it again brings it back.',
    scope: 'pipelines:write',
    answers: { 204: { description: 'Deleted.' } },
  })
  @Delete(':name')
  async delete(@Param('name', { schema: pathId }) name: string, @FromCaller() caller: Caller): Promise<void> {
    const isDeleted = await deletePipeline(this.parts.database.kysely, { projectId: caller.projectId, name, actor: caller.keyId });
    if (!isDeleted) throw notFound('pipeline_not_found', `Pipeline ${name}`);
  }
}

function toPipeline(row: PipelineRecord): Pipeline {
  const aliases = row.aliases.map(({ alias, version, weight, updatedAt }) => [alias, { version, weight, updated_at: updatedAt }] as const);
  return { name: row.name, latest_version: row.latestVersion, aliases: Object.fromEntries(aliases), created_at: row.createdAt };
}
