import { Body, Controller, Get, Inject, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { parsePipeline } from '#libs/domain';
import {
  findPipeline,
  findPipelineVersion,
  listPipelineVersions,
  setPipelineAlias,
  type PipelineVersionDetail,
  type PipelineVersionSummary as VersionRow,
} from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, hasScope, type Caller } from '../auth/caller.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound } from '../http/problem-error.js';
import { pathId, versionNumber } from '../http/scalars.js';
import { pipelineInvalid } from './document-faults.js';
import { graphOf } from './pipeline-graph.js';
import {
  aliasBody,
  aliasName,
  pipelineGraph,
  pipelineListQuery,
  pipelineVersion,
  pipelineVersionSummary,
  setAlias,
  type AliasBody,
  type PipelineGraph,
  type PipelineVersion,
  type PipelineVersionSummary,
  type SetAlias,
} from './pipeline.schema.js';

@ApiTags('pipelines')
@Controller('v1/pipelines/:name')
export class PipelineVersionsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'listPipelineVersions',
    summary: 'Versions of a pipeline',
    scope: 'runs:read',
    answers: { 200: { description: 'A page of versions, newest first.', schema: pageOf(pipelineVersionSummary) } },
  })
  @Get('versions')
  async list(
    @Param('name', { schema: pathId }) name: string,
    @Query({ schema: pipelineListQuery }) query: z.output<typeof pipelineListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<PipelineVersionSummary>> {
    const place = { projectId: caller.projectId, name };
    const filters = { name };
    const after = decodeCursor(query.cursor, filters);
    if ((await findPipeline(this.parts.database.kysely, place)) === null) throw notFound('pipeline_not_found', `Pipeline ${name}`);
    const page = { after: after === null ? null : Number(after[0]), limit: query.limit };
    const rows = await listPipelineVersions(this.parts.database.kysely, place, page);
    return toPage(rows, query.limit, filters, (row) => [row.version], toSummary);
  }

  @Operation({
    id: 'getPipelineVersion',
    summary: 'One version with its document',
    description: 'The document holds prompts: it is null for keys that have neither `content:read` nor `pipelines:write`.',
    scope: 'runs:read',
    answers: { 200: { description: 'The version.', schema: pipelineVersion } },
  })
  @Get('versions/:version')
  async get(
    @Param('name', { schema: pathId }) name: string,
    @Param('version', { schema: versionNumber }) version: number,
    @FromCaller() caller: Caller,
  ): Promise<PipelineVersion> {
    const found = await this.find(caller.projectId, name, version);
    const isShown = hasScope(caller, 'content:read') || hasScope(caller, 'pipelines:write');
    return { ...toSummary(found), name: found.name, document: isShown ? found.document : null };
  }

  @Operation({
    id: 'getPipelineGraph',
    summary: 'Steps and edges of a version',
    scope: 'runs:read',
    answers: { 200: { description: 'The graph.', schema: pipelineGraph } },
  })
  @Get('versions/:version/graph')
  async graph(
    @Param('name', { schema: pathId }) name: string,
    @Param('version', { schema: versionNumber }) version: number,
    @FromCaller() caller: Caller,
  ): Promise<PipelineGraph> {
    const { document } = await this.find(caller.projectId, name, version);
    // An accepted version is not refused because the operator's settings changed since.
    const facts = { ...this.parts.engine.pipelineFacts, connections: null, plugins: null, mcpServers: null };
    const parsed = parsePipeline(document, facts);
    if (!parsed.ok) throw pipelineInvalid(parsed.errors);
    return graphOf(parsed.definition, version);
  }

  @Operation({
    id: 'setPipelineAlias',
    summary: 'Point an alias at a version',
    description: 'New runs start with what `live` points to, `weight` percent of them with what `canary` does (0: none); a stream keeps to one of the two. Runs under way keep their version.',
    scope: 'pipelines:write',
    answers: { 200: { description: 'The alias.', schema: setAlias } },
  })
  @Put('aliases/:alias')
  async setAlias(
    @Param('name', { schema: pathId }) name: string,
    @Param('alias', { schema: aliasName }) alias: z.output<typeof aliasName>,
    @Body({ schema: aliasBody }) body: AliasBody,
    @FromCaller() caller: Caller,
  ): Promise<SetAlias> {
    const { version, weight } = body;
    const target = { projectId: caller.projectId, actor: caller.keyId, name, alias, version, weight };
    const isSet = await setPipelineAlias(this.parts.database.kysely, target);
    if (!isSet) throw notFound('pipeline_version_not_found', `Version ${version} of pipeline ${name}`);
    return { name, alias, version, weight };
  }

  private async find(projectId: string, name: string, version: number): Promise<PipelineVersionDetail> {
    const found = await findPipelineVersion(this.parts.database.kysely, { projectId, name }, version);
    if (found === null) throw notFound('pipeline_version_not_found', `Version ${version} of pipeline ${name}`);
    return found;
  }
}

function toSummary(row: VersionRow): PipelineVersionSummary {
  return { version: row.version, content_hash: row.contentHash, created_at: row.createdAt };
}
