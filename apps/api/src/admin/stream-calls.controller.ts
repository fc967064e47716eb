import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import {
  checkContextPolicy,
  checkEffectivePolicy,
  effectivePolicy,
  type EffectivePolicy,
  type ModelFacts,
} from '#libs/context';
import { previewStored, reviewCalls } from '#libs/engine';
import type { ReadDatabase } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { findStepPlace, invalid, type StepPlace } from '../conversations/step-place.js';
import { Operation } from '../http/operation.js';
import { ProblemError } from '../http/problem-error.js';
import { streamPathId } from '../http/scalars.js';
import { jsonPointer } from '../http/json-pointer.js';
import { previewOf, reviewOf } from './stream-calls.js';
import {
  callReview,
  contextPreview,
  contextPreviewBody,
  reviewQuery,
  type CallReview,
  type ContextPreview,
  type ContextPreviewBody,
} from './stream-calls.schema.js';

@ApiTags('admin: streams')
@Controller('v1/admin/streams')
export class StreamCallsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'previewContext',
    summary: 'What the calls of a step would have sent under another policy',
    description:
      'Without a model: stored answers and results stay, frontiers and summaries are made anew (`compaction` is forced to `blocking` and `builtin:extractive`).',
    scope: 'content:read',
    status: 200,
    answers: {
      200: { description: 'Sizes and costs of each call, and the context of the next one.', schema: contextPreview },
    },
  })
  @Post(':stream/context-preview')
  async preview(
    @Param('stream', { schema: streamPathId }) streamId: string,
    @Body({ schema: contextPreviewBody }) body: ContextPreviewBody,
    @FromCaller() caller: Caller,
  ): Promise<ContextPreview> {
    const place = await this.place(caller, streamId, { stepId: body.step_id, item: body.item }, 'body');
    const model = this.modelOf(body);
    const previewed = await previewStored(this.parts.engine, {
      projectId: caller.projectId,
      rootStream: place.rootStream,
      subStream: place.subStream,
      policy: policyOf(body.policy, model),
      model,
      runId: body.run_id ?? null,
      uptoSeq: body.upto_seq ?? null,
    });
    return previewOf(place, previewed);
  }

  @Operation({
    id: 'reviewCalls',
    summary: 'Recorded calls of a step, built again',
    description:
      'All calls of all runs on this stream: whether they rebuild to their recorded hash, sizes, cost, what the linter says.',
    scope: 'content:read',
    answers: { 200: { description: 'The calls in the order in which they were sent.', schema: callReview } },
  })
  @Get(':stream/calls')
  async review(
    @Param('stream', { schema: streamPathId }) streamId: string,
    @Query({ schema: reviewQuery }) query: z.output<typeof reviewQuery>,
    @FromCaller() caller: Caller,
  ): Promise<CallReview> {
    const place = await this.place(caller, streamId, { stepId: query.step_id, item: query.item }, 'query');
    const { rootStream, subStream } = place;
    return reviewOf(
      place,
      await reviewCalls(this.parts.engine, { projectId: caller.projectId, rootStream, subStream }),
    );
  }

  private place(
    caller: Caller,
    streamId: string,
    at: { stepId: string | undefined; item: number | null | undefined },
    found: 'body' | 'query',
  ): Promise<StepPlace> {
    const { stepId = null, item = null } = at;
    return findStepPlace(this.db, { projectId: caller.projectId, streamId, stepId, item }, found);
  }

  private modelOf({ model, api_format: apiFormat }: ContextPreviewBody): ModelFacts | null {
    if (model === undefined || model === null) return null;
    const known = this.parts.engine.models.facts(model);
    if (!known.ok) throw invalid('body', 'model', known.detail);
    return apiFormat === undefined || apiFormat === null ? known.facts : { ...known.facts, apiFormat };
  }

  private get db(): ReadDatabase {
    return this.parts.database.kysely;
  }
}

function policyOf(block: unknown, model: ModelFacts | null): EffectivePolicy {
  const faults = checkContextPolicy(block, 'pipeline');
  if (faults.length > 0) throw policyInvalid(faults);
  const policy = effectivePolicy({ pipeline: block }, false);
  const unfit = checkEffectivePolicy(policy, model?.windowTokens ?? null);
  if (unfit.length > 0) throw policyInvalid(unfit);
  return policy;
}

function policyInvalid(faults: readonly { path: string; code: string; detail: string }[]): ProblemError {
  const errors = faults.map(({ path, code, detail }) => ({
    in: 'body' as const,
    pointer: jsonPointer(['policy', ...path.split('.').filter((part) => part !== '')]),
    code,
    detail,
  }));
  return new ProblemError(
    'invalid_request',
    `The policy has ${errors.length} fault${errors.length === 1 ? '' : 's'}.`,
    { errors },
  );
}
