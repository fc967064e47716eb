import { Body, Controller, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { createProject, findProject, listProjects, type ProjectRecord } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { Operation } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import { isInstallationAdmin, projectInReach, projectNotFound } from './installation-admin.js';
import { newProjectBody, project, projectListQuery, type NewProjectBody, type Project } from './project.schema.js';

@ApiTags('admin: projects and keys')
@Controller('v1/admin/projects')
export class ProjectsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'createProject',
    summary: 'Make a project',
    description: 'Only for keys of the project `default`, whose admins administer the installation.',
    scope: 'admin:write',
    answers: { 201: { description: 'The project.', schema: project } },
  })
  @ApiIdempotencyKey()
  @Post()
  create(
    @Body({ schema: newProjectBody }) body: NewProjectBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Project> {
    if (!isInstallationAdmin(caller)) throw projectNotFound(body.id);
    const deed = { projectId: caller.projectId, scope: 'projects', key, body, reply };
    return doOnce(
      this.parts.engine,
      deed,
      () => this.make(body, caller),
      (made) => made,
      (stored) => project.parse(stored),
    );
  }

  private async make(body: NewProjectBody, caller: Caller): Promise<Project> {
    const made = await createProject(this.parts.database.kysely, {
      projectId: body.id,
      name: body.name ?? body.id,
      actor: caller.keyId,
    });
    if (made === null) throw new ProblemError('project_exists', `Project ${body.id} exists already.`);
    return toProject(made);
  }

  @Operation({
    id: 'listProjects',
    summary: 'Projects that the key administers',
    scope: 'admin:read',
    answers: { 200: { description: 'A page of projects, by id.', schema: pageOf(project) } },
  })
  @Get()
  async list(
    @Query({ schema: projectListQuery }) query: z.output<typeof projectListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<Project>> {
    const after = decodeCursor(query.cursor, {});
    if (!isInstallationAdmin(caller)) {
      const own = await findProject(this.parts.database.kysely, caller.projectId);
      return { data: own === null ? [] : [toProject(own)], next_cursor: null, has_more: false };
    }
    const page = { after: after === null ? null : String(after[0]), limit: query.limit };
    const rows = await listProjects(this.parts.database.kysely, page);
    return toPage(rows, query.limit, {}, (row) => [row.projectId], toProject);
  }

  @Operation({
    id: 'getProject',
    summary: 'One project',
    scope: 'admin:read',
    answers: { 200: { description: 'The project.', schema: project } },
  })
  @Get(':project')
  async get(@Param('project', { schema: pathId }) projectId: string, @FromCaller() caller: Caller): Promise<Project> {
    const found = await findProject(this.parts.database.kysely, projectInReach(caller, projectId));
    if (found === null) throw projectNotFound(projectId);
    return toProject(found);
  }
}

function toProject(row: ProjectRecord): Project {
  return { id: row.projectId, name: row.name, created_at: row.createdAt };
}
