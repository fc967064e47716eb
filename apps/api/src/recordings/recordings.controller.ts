import { Body, Controller, Delete, Get, Inject, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import type { Json } from '#libs/domain';
import { postgresRecordingStore, recordAudit, type RecordingStore } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound } from '../http/problem-error.js';
import { pathId } from '../http/scalars.js';
import {
  recording,
  recordingBody,
  recordingListQuery,
  recordingName,
  recordingWithTranscript,
  type Recording,
  type RecordingWithTranscript,
} from './recording.schema.js';

type RecordingRow = { name: string; hash: string; bytes: number; createdAt: string };

@ApiTags('recordings')
@Controller('v1/recordings')
export class RecordingsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'putRecording',
    summary: 'Upload a recorded session',
    description:
      'At most 10 MiB. The model `replay:<name>` and tools of kind `replay` answer from it. One of the same name is replaced.',
    scope: 'pipelines:write',
    answers: { 200: { description: 'The recording.', schema: recording } },
  })
  @Put(':name')
  async put(
    @Param('name', { schema: recordingName }) name: string,
    @Body({ schema: recordingBody }) body: Json,
    @FromCaller() caller: Caller,
  ): Promise<Recording> {
    const { projectId, keyId } = caller;
    const stored = await this.store.put(projectId, name, body);
    const detail = { hash: stored.hash, bytes: stored.bytes };
    await recordAudit(this.parts.database.kysely, {
      projectId,
      actor: keyId,
      action: 'recording.put',
      subject: name,
      detail,
    });
    return toRecording(stored);
  }

  @Operation({
    id: 'listRecordings',
    summary: 'Recordings of the project',
    scope: 'runs:read',
    answers: { 200: { description: 'A page of recordings, by name.', schema: pageOf(recording) } },
  })
  @Get()
  async list(
    @Query({ schema: recordingListQuery }) query: z.output<typeof recordingListQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<Recording>> {
    const after = decodeCursor(query.cursor, {});
    const page = { afterName: after === null ? null : String(after[0]), limit: query.limit + 1 };
    const rows = await this.store.list(caller.projectId, page);
    return toPage(rows, query.limit, {}, (row) => [row.name], toRecording);
  }

  @Operation({
    id: 'getRecording',
    summary: 'One recording with its transcript',
    scope: 'content:read',
    answers: { 200: { description: 'The recording.', schema: recordingWithTranscript } },
  })
  @Get(':name')
  async get(
    @Param('name', { schema: pathId }) name: string,
    @FromCaller() caller: Caller,
  ): Promise<RecordingWithTranscript> {
    const found = await this.store.get(caller.projectId, name);
    if (found === null) throw notFound('recording_not_found', `Recording ${name}`);
    return { ...toRecording(found), transcript: found.body };
  }

  @Operation({
    id: 'deleteRecording',
    summary: 'Delete a recording',
    description: 'Runs that answer from it fail at their next call.',
    scope: 'pipelines:write',
    answers: { 204: { description: 'Deleted.' } },
  })
  @Delete(':name')
  async delete(@Param('name', { schema: pathId }) name: string, @FromCaller() caller: Caller): Promise<void> {
    const { projectId, keyId } = caller;
    if (!(await this.store.delete(projectId, name))) throw notFound('recording_not_found', `Recording ${name}`);
    await recordAudit(this.parts.database.kysely, {
      projectId,
      actor: keyId,
      action: 'recording.deleted',
      subject: name,
      detail: {},
    });
  }

  private get store(): RecordingStore {
    return postgresRecordingStore(this.parts.database);
  }
}

function toRecording({ name, hash, bytes, createdAt }: RecordingRow): Recording {
  return { name, hash, bytes, created_at: createdAt };
}
