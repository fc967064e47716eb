import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { subStreamId, type StoredEvent } from '#libs/domain';
import { contextOfStep, type RunRecord, type StepRunRecord } from '#libs/engine';
import { findStep, lastItemOf, listSteps, stepKeyOf, type ReadDatabase, type StepKey } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, hasScope, type Caller } from '../auth/caller.js';
import { decodeCursor } from '../http/list-cursor.js';
import { pageOf, toPage, type Page } from '../http/list-page.js';
import { Operation } from '../http/operation.js';
import { notFound, ProblemError } from '../http/problem-error.js';
import { pathId, versionNumber } from '../http/scalars.js';
import { runNotFound } from '../runs/load-run.js';
import { callContext, type CallContext } from './call-context.schema.js';
import { callContextOf } from './call-context.js';
import { CALL_EVENTS, callsOf } from './calls-of.js';
import {
  call,
  contextQuery,
  itemQuery,
  step,
  stepDetail,
  stepListQuery,
  stepQuery,
  type Call,
  type Step,
  type StepDetail,
} from './step.schema.js';
import { toStep } from './step-wire.js';

type ListQuery = z.output<typeof stepListQuery>;

@ApiTags('steps')
@Controller('v1/runs/:run/steps')
export class StepsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'listSteps',
    summary: 'Steps of a run',
    scope: 'runs:read',
    answers: { 200: { description: 'A page of steps, by id, item and round.', schema: pageOf(step) } },
  })
  @Get()
  list(
    @Param('run', { schema: pathId }) runId: string,
    @Query({ schema: stepListQuery }) query: ListQuery,
    @FromCaller() caller: Caller,
  ): Promise<Page<Step>> {
    return this.page(runId, query, caller, {});
  }

  @Operation({
    id: 'listStepItems',
    summary: 'Items of a step',
    scope: 'runs:read',
    answers: { 200: { description: 'A page of items, by number.', schema: pageOf(step) } },
  })
  @Get(':step/items')
  items(
    @Param('run', { schema: pathId }) runId: string,
    @Param('step', { schema: pathId }) stepId: string,
    @Query({ schema: stepListQuery }) query: ListQuery,
    @FromCaller() caller: Caller,
  ): Promise<Page<Step>> {
    return this.page(runId, query, caller, { stepId, onlyItems: true });
  }

  @Operation({
    id: 'getStep',
    summary: 'One step',
    description: 'Of an item with `item`; of the latest round without `round`.',
    scope: 'runs:read',
    answers: { 200: { description: 'The step.', schema: stepDetail } },
  })
  @Get(':step')
  async get(
    @Param('run', { schema: pathId }) runId: string,
    @Param('step', { schema: pathId }) stepId: string,
    @Query({ schema: stepQuery }) query: z.output<typeof stepQuery>,
    @FromCaller() caller: Caller,
  ): Promise<StepDetail> {
    const run = await this.run(caller, runId);
    const found = await this.step(run, { stepId, item: query.item ?? null, round: query.round ?? null });
    const context = await contextOfStep(this.parts.engine, caller.projectId, found.manifest);
    return { ...toStep(run, found, hasScope(caller, 'content:read')), context };
  }

  @Operation({
    id: 'listCalls',
    summary: 'Model calls of a step',
    scope: 'runs:read',
    answers: {
      200: { description: 'Every try of every call, in the order in which they were sent.', schema: pageOf(call) },
    },
  })
  @Get(':step/calls')
  async calls(
    @Param('run', { schema: pathId }) runId: string,
    @Param('step', { schema: pathId }) stepId: string,
    @Query({ schema: itemQuery }) query: z.output<typeof itemQuery>,
    @FromCaller() caller: Caller,
  ): Promise<Page<Call>> {
    const run = await this.run(caller, runId);
    const item = query.item ?? null;
    await this.step(run, { stepId, item, round: null });
    const events = (await this.callEvents(run, stepId, item)).filter((event) => event.runId === runId);
    return { data: callsOf(runId, stepId, item, events), next_cursor: null, has_more: false };
  }

  @Operation({
    id: 'getCallContext',
    summary: 'What the model saw in a call',
    description:
      'Built again from the stored events and compared with the recorded hash. Of an item with `item`; of the latest round that made the call without `round`.',
    scope: 'content:read',
    answers: { 200: { description: 'The request, what is not in it and why.', schema: callContext } },
  })
  @Get(':step/calls/:call/context')
  async context(
    @Param('run', { schema: pathId }) runId: string,
    @Param('step', { schema: pathId }) stepId: string,
    @Param('call', { schema: versionNumber }) callNo: number,
    @Query({ schema: contextQuery }) query: z.output<typeof contextQuery>,
    @FromCaller() caller: Caller,
  ): Promise<CallContext> {
    const run = await this.run(caller, runId);
    const item = query.item ?? null;
    const answer = await callContextOf(this.parts.engine, {
      projectId: caller.projectId,
      runId,
      stepId,
      item,
      round: query.round ?? null,
      callNo,
      try: null,
      callEvents: await this.callEvents(run, stepId, item),
      comparesWithPrevious: query.diff === 'previous',
    });
    if (answer !== null) return answer;
    await this.step(run, { stepId, item, round: null });
    throw notFound('call_not_found', `Call ${callNo} of step ${stepId}${ofItem(item)} of run ${runId}`);
  }

  private async page(
    runId: string,
    query: ListQuery,
    caller: Caller,
    only: { stepId?: string; onlyItems?: boolean },
  ): Promise<Page<Step>> {
    const run = await this.run(caller, runId);
    const filters = { runId, ...only };
    const after = decodeCursor(query.cursor, filters);
    const page = { after: after === null ? null : toKey(after), limit: query.limit };
    const rows = await listSteps(this.db, { projectId: caller.projectId, ...filters }, page);
    const showsContent = hasScope(caller, 'content:read');
    return toPage(
      rows,
      query.limit,
      filters,
      (row) => Object.values(stepKeyOf(row)),
      (row) => toStep(run, row, showsContent),
    );
  }

  private async run(caller: Caller, runId: string): Promise<RunRecord> {
    const run = await this.parts.engine.runs.getRun(caller.projectId, runId);
    if (run === null) throw runNotFound(runId);
    return run;
  }

  /** Of the latest round where `round` is null. @throws ProblemError 404 */
  private async step(
    { projectId, runId }: RunRecord,
    place: { stepId: string; item: number | null; round: number | null },
  ): Promise<StepRunRecord> {
    const found = await findStep(this.db, { projectId, runId, ...place });
    if (found !== null) return found;
    const last = await lastItemOf(this.db, { projectId, runId, stepId: place.stepId });
    throw stepNotFound(runId, place.stepId, place.item, last);
  }

  private callEvents(run: RunRecord, stepId: string, item: number | null): Promise<StoredEvent[]> {
    return this.parts.engine.log.read({
      projectId: run.projectId,
      streamId: subStreamId(run.streamId, stepId, item),
      types: CALL_EVENTS,
    });
  }

  private get db(): ReadDatabase {
    return this.parts.database.kysely;
  }
}

function toKey(after: readonly (string | number)[]): StepKey {
  return { stepId: String(after[0]), item: Number(after[1]), round: Number(after[2]) };
}

/** Says which items there are where one of them is missing, or was meant. */
function stepNotFound(runId: string, stepId: string, item: number | null, lastItem: number | null): ProblemError {
  const subject = `Step ${stepId}${ofItem(item)} of run ${runId}`;
  if (lastItem === null || (item !== null && item <= lastItem)) return notFound('step_not_found', subject);
  const items = lastItem === 0 ? 'item 0 alone' : `items 0 to ${lastItem}`;
  const detail =
    item === null
      ? `${subject} is done once per item and has ${items}: name one as item (weir context: --item 0).`
      : `${subject} does not exist: it has ${items}.`;
  return new ProblemError('step_not_found', detail);
}

const ofItem = (item: number | null): string => (item === null ? '' : `, item ${item},`);
