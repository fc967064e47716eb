import { Body, Controller, Get, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { exportTranscript } from '#libs/context';
import { parseJson } from '#libs/domain';
import { importConversation, type ImportConversationResult } from '#libs/engine';
import { readStreamMemory, recordAudit } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { doOnce, FromIdempotencyKey } from '../http/idempotency.js';
import { ApiIdempotencyKey } from '../http/idempotency-header.js';
import { Operation } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { streamPathId } from '../http/scalars.js';
import {
  exportAnswer,
  exportQuery,
  importAnswer,
  importBody,
  type ExportAnswer,
  type ImportAnswer,
  type ImportBody,
} from './conversation.schema.js';
import { toOpenaiMessages } from './openai-export.js';
import { findStepPlace, invalid, newStepPlace, type StepPlace } from './step-place.js';

@ApiTags('admin: streams')
@Controller('v1/admin/streams/:stream')
export class TransferController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'importConversation',
    summary: 'Move a conversation in',
    description:
      'Into the conversation of one step, whole or not at all; the next run on the stream goes on in it. `dry_run` says what would be imported, mended when it is read and left out. Refused while a run holds the stream.',
    scope: 'admin:write',
    status: 200,
    answers: { 200: { description: 'What was imported.', schema: importAnswer } },
  })
  @ApiIdempotencyKey()
  @Post('import')
  async import(
    @Param('stream', { schema: streamPathId }) streamId: string,
    @Body({ schema: importBody }) body: ImportBody,
    @FromCaller() caller: Caller,
    @FromIdempotencyKey() key: string | null,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportAnswer> {
    const place = newStepPlace({ streamId, stepId: body.step_id ?? null, item: body.item ?? null });
    const { projectId } = caller;
    const asked = parseJson(JSON.stringify(body));
    return doOnce(
      this.parts.engine,
      { projectId, scope: `import:${place.subStream}`, key, body: asked, reply },
      () => this.store(place, body, caller),
      (answer) => answer,
      (stored) => importAnswer.parse(stored),
    );
  }

  private async store(place: StepPlace, body: ImportBody, caller: Caller): Promise<ImportAnswer> {
    const { projectId, keyId } = caller;
    const result = await importConversation(this.parts.engine, {
      projectId,
      streamId: place.rootStream,
      subStream: place.subStream,
      stepId: place.stepId,
      item: place.item,
      sourceId: body.source_id ?? null,
      transcript: body.transcript,
      memory: body.memory ?? {},
      dryRun: body.dry_run,
    });
    const answer = answerOf(place, result, body.dry_run);
    if (answer.status === 'imported') {
      const { source_id, appended } = answer;
      const detail = { source_id, appended };
      const entry = { projectId, actor: keyId, action: 'stream.imported', subject: place.subStream, detail };
      await recordAudit(this.parts.database.kysely, entry);
    }
    return answer;
  }

  @Operation({
    id: 'exportConversation',
    summary: 'Take a conversation out',
    description: '`format=openai` gives messages in OpenAI’s chat form, which know no reasoning and no documents.',
    scope: 'content:read',
    answers: { 200: { description: 'The conversation of one step.', schema: exportAnswer } },
  })
  @Get('export')
  async export(
    @Param('stream', { schema: streamPathId }) streamId: string,
    @Query({ schema: exportQuery }) query: z.output<typeof exportQuery>,
    @FromCaller() caller: Caller,
  ): Promise<ExportAnswer> {
    const { projectId } = caller;
    const db = this.parts.database.kysely;
    const { step_id: wanted = null, item: at = null, format } = query;
    const place = await findStepPlace(db, { projectId, streamId, stepId: wanted, item: at }, 'query');
    const { subStream, stepId, item, rootStream } = place;
    const [events, memory] = await Promise.all([
      this.parts.engine.log.read({ projectId, streamId: subStream }),
      readStreamMemory(db, projectId, rootStream),
    ]);
    return {
      stream_id: rootStream,
      step_id: stepId,
      item,
      source_id: `weir:${subStream}`,
      memory: Object.fromEntries(memory.map(({ key, value }) => [key, value])),
      transcript:
        format === 'openai' ? { messages: toOpenaiMessages(events) } : exportTranscript(events, { stream: subStream }),
    };
  }
}

function answerOf(place: StepPlace, result: ImportConversationResult, isDry: boolean): ImportAnswer {
  switch (result.status) {
    case 'stream_busy':
      throw new ProblemError('stream_busy', `Run ${result.runId} holds the stream ${place.rootStream}.`);
    case 'differs': {
      const detail = `Another conversation was imported into ${place.subStream} under the source id ${result.sourceId}. Give this one another source_id.`;
      throw new ProblemError('wrong_state', detail);
    }
    case 'empty':
      throw invalid('body', 'transcript', 'has no message that a model would be shown: only system messages, or none');
    case 'imported':
    case 'unchanged': {
      const { report, sourceId, appended, version } = result;
      const { messages, entries, answers, results, repairs, leftOut } = report;
      return {
        stream_id: place.rootStream,
        step_id: place.stepId,
        item: place.item,
        source_id: sourceId,
        status: isDry && result.status === 'imported' ? 'would_import' : result.status,
        appended,
        version,
        report: {
          messages,
          entries,
          answers,
          results,
          repairs,
          left_out: leftOut.map(({ messageIndex, reason }) => ({ message_index: messageIndex, reason })),
        },
      };
    }
  }
}
