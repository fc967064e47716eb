import { effectiveStep } from '../effective-step.js';
import { formatPath, oneOf, type FaultPath } from '../fault-writer.js';
import { allSteps } from '../graph.js';
import type { PipelineFacts, PipelineFeature } from '../pipeline-facts.js';
import type { PipelineNote } from '../pipeline-fault.js';
import type { ReadPipeline } from '../read/read-pipeline.js';
import type { Reading } from '../read/reading.js';
import { everyNode } from './step-graph.js';

/** Kinds and features that this build does not have, and rules between parts of the document. */
export function checkFeatures(read: ReadPipeline, reading: Reading, facts: PipelineFacts): readonly PipelineNote[] {
  checkStepKinds(read, reading, facts);
  checkToolKinds(read, reading, facts);
  checkParallel(read, reading);
  return missingFeatureNotes(read, reading, facts);
}

function checkStepKinds(read: ReadPipeline, reading: Reading, facts: PipelineFacts): void {
  for (const node of everyNode(read.nodes)) {
    if (node.kind === null || facts.executableStepKinds.includes(node.kind)) continue;
    const expected = oneOf(facts.executableStepKinds);
    const hint = 'this version of Weir does not execute the kind yet';
    reading.fault([...node.path, node.kind], {
      code: 'step_kind_not_available',
      found: `a step of kind ${node.kind}`,
      expected,
      hint,
    });
  }
}

function checkToolKinds(read: ReadPipeline, reading: Reading, facts: PipelineFacts): void {
  for (const tool of read.definition.tools.values()) {
    if (facts.executableToolKinds.includes(tool.kind)) continue;
    const expected = oneOf(facts.executableToolKinds);
    const hint = 'this version of Weir does not execute the kind yet';
    reading.fault(['tools', tool.name, 'kind'], { code: 'tool_kind_not_available', found: tool.kind, expected, hint });
  }
}

/** Two runs at once in one conversation would interleave their turns; `fresh` steps do not see each other. */
function checkParallel(read: ReadPipeline, reading: Reading): void {
  if (read.definition.onBusy !== 'parallel') return;
  for (const node of everyNode(read.nodes)) {
    if (node.kind !== 'agent' || node.id === null) continue;
    const effective = effectiveStep(read.definition, node.id);
    if (effective === null || effective.contextMode === 'fresh') continue;
    const found = `mode ${effective.contextMode ?? 'inherit'} beside on_busy: parallel`;
    reading.fault([...node.path, 'context'], {
      code: 'parallel_needs_fresh',
      found,
      expected: 'context: { mode: fresh }',
    });
  }
}

type Use = { readonly feature: PipelineFeature; readonly path: FaultPath; readonly expected: string };

/** What ignoring would only leave unbounded; ignoring the others would change what the pipeline does. */
const NOTED: ReadonlySet<PipelineFeature> = new Set(['spend_limit', 'concurrency', 'fallback_models']);

function missingFeatureNotes(read: ReadPipeline, reading: Reading, facts: PipelineFacts): readonly PipelineNote[] {
  const notes: PipelineNote[] = [];
  for (const { feature, path, expected } of [
    ...documentUses(read),
    ...agentUses(read),
    ...toolUses(read),
    ...stepUses(read),
  ]) {
    if (!facts.missingFeatures.includes(feature)) continue;
    const hint = 'this version of Weir does not have it yet';
    if (NOTED.has(feature)) {
      notes.push({
        path: formatPath(path),
        code: 'feature_not_enforced',
        detail: `${formatPath(path)} is accepted, but not enforced by this version of Weir.`,
      });
    } else {
      reading.fault(path, { code: 'feature_not_available', found: feature, expected, hint });
    }
  }
  return notes;
}

function documentUses({ definition }: ReadPipeline): readonly Use[] {
  const uses: Use[] = [];
  if (definition.onBusy !== 'enqueue') uses.push({ feature: 'on_busy', path: ['on_busy'], expected: 'enqueue' });
  if (definition.spendLimit !== null) uses.push({ feature: 'spend_limit', path: ['spend_limit'], expected: 'none' });
  if (definition.concurrency !== null) uses.push({ feature: 'concurrency', path: ['concurrency'], expected: 'none' });
  return uses;
}

function agentUses({ definition }: ReadPipeline): readonly Use[] {
  return [...definition.agents.values()].flatMap((agent): Use[] => [
    ...(agent.fallbackModels.length === 0
      ? []
      : [use('fallback_models', ['agents', agent.name, 'fallback_models'], 'none')]),
    ...(agent.outputSchema === null ? [] : [use('output_schema', ['agents', agent.name, 'output_schema'], 'none')]),
  ]);
}

function toolUses({ definition }: ReadPipeline): readonly Use[] {
  return [...definition.tools.values()].flatMap((tool) =>
    tool.requiresApproval ? [use('tool_approval', ['tools', tool.name, 'requires_approval'], 'false')] : [],
  );
}

function stepUses({ definition, nodes }: ReadPipeline): readonly Use[] {
  const paths = new Map(
    [...everyNode(nodes)].flatMap((node) => (node.id === null ? [] : [[node.id, node.path] as const])),
  );
  return [...allSteps(definition.steps)].flatMap((step): Use[] => {
    const path = paths.get(step.id) ?? [];
    const hasParts =
      step.kind === 'agent' && typeof step.task !== 'string' && step.task.some((part) => part.type !== 'text');
    return [
      ...(step.onError.action === 'fail' ? [] : [use('on_error', [...path, 'on_error'], 'fail')]),
      ...(hasParts ? [use('task_parts', [...path, 'task'], 'text')] : []),
    ];
  });
}

function use(feature: PipelineFeature, path: FaultPath, expected: string): Use {
  return { feature, path, expected };
}
