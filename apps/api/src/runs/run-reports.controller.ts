import { Controller, Get, Inject, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { explainRun } from '#libs/engine';
import { listChildUsage, listCompactionUsage, sumUsageByModel } from '#libs/event-store';
import { API_PARTS, type ApiParts } from '../api-parts.js';
import { FromCaller, type Caller } from '../auth/caller.js';
import { Operation } from '../http/operation.js';
import { pathId } from '../http/scalars.js';
import { loadRun, runNotFound } from './load-run.js';
import { runCost, runExplanation, type RunCost, type RunExplanation } from './run.schema.js';
import { toUsage } from './run-wire.js';

@ApiTags('why')
@Controller('v1/runs/:run')
export class RunReportsController {
  constructor(@Inject(API_PARTS) private readonly parts: ApiParts) {}

  @Operation({
    id: 'explainRun',
    summary: 'Why a run is where it is',
    description: 'Who holds its steps, what they wait for, what comes next and what one can do.',
    scope: 'runs:read',
    answers: { 200: { description: 'The explanation.', schema: runExplanation } },
  })
  @Get('explain')
  async explain(
    @Param('run', { schema: pathId }) runId: string,
    @FromCaller() caller: Caller,
  ): Promise<RunExplanation> {
    const explanation = await explainRun(this.parts.engine, caller.projectId, runId);
    if (explanation === null) throw runNotFound(runId);
    return runExplanation.parse(explanation);
  }

  @Operation({
    id: 'getRunCost',
    summary: 'What a run has spent',
    description:
      'By step, compaction and child run (each with its own children), which sum up to `usage`; the run’s own calls also by model.',
    scope: 'runs:read',
    answers: { 200: { description: 'The spending so far.', schema: runCost } },
  })
  @Get('cost')
  async cost(@Param('run', { schema: pathId }) runId: string, @FromCaller() caller: Caller): Promise<RunCost> {
    const { projectId } = caller;
    const db = this.parts.database.kysely;
    const [described, compactions, children, models] = await Promise.all([
      loadRun(this.parts.engine, projectId, runId),
      listCompactionUsage(db, projectId, runId),
      listChildUsage(db, projectId, runId),
      sumUsageByModel(db, projectId, runId),
    ]);
    return {
      run_id: runId,
      usage: toUsage(described.usage),
      steps: described.steps.map((step) => ({
        id: step.stepId,
        item: step.item,
        round: step.round,
        usage: toUsage(step.usage),
      })),
      compactions: compactions.map((compaction) => ({ id: compaction.compactionId, usage: toUsage(compaction) })),
      children: children.map((child) => ({
        run_id: child.runId,
        pipeline: child.pipeline,
        step_id: child.stepId,
        item: child.item,
        usage: toUsage(child),
      })),
      models: models.map((row) => ({ model: row.model, usage: toUsage(row) })),
    };
  }
}
