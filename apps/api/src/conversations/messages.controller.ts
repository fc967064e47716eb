import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { readEntries } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { streamPathId } from '../http/scalars.js';
import {
  conversationMessage,
  messagesQuery,
  type ConversationMessage,
  type MessagesQuery,
} from './conversation.schema.js';
import { toMessage } from './message-wire.js';
import { findStepPlace } from './step-place.js';

@ApiTags('conversations')
@Controller('v1/streams/:stream')
export class MessagesController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'listMessages',
    summary: 'A conversation, for chat front ends',
    description:
      'Messages of one step by entry, whole, whatever contexts mask or summarise; `order=desc` begins with the newest. `step` may be left out where the stream has one conversation.',
    scope: 'content:read',
    answers: { 200: { description: 'A page of messages.', schema: pageOf(conversationMessage) } },
  })
  @Get('messages')
  async list(
    @Param('stream', { schema: streamPathId }) streamId: string,
    @Query({ schema: messagesQuery }) query: MessagesQuery,
    @FromCaller() caller: Caller,
  ): Promise<Page<ConversationMessage>> {
    const { projectId } = caller;
    const { limit, cursor, step = null, item = null, order } = query;
    const db = this.parts.database.kysely;
    const { subStream } = await findStepPlace(db, { projectId, streamId, stepId: step, item }, 'query');
    const given = { subStream, order };
    const at = decodeCursor(cursor, given);
    const rows = await readEntries(db, {
      projectId,
      streamId: subStream,
      after: at === null ? null : Number(at[0]),
      limit: limit + 1,
      descending: order === 'desc',
    });
    const page = toPage(rows, limit, given, (row) => [row.entry ?? 0], toMessage);
    return { ...page, data: page.data.filter((message) => message !== null) };
  }
}
