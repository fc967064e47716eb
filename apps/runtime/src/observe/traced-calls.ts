import { jsonSchema } from '#libs/domain';
import type { Claimed, EngineDeps, ModelCall, ModelOutcome, ToolInvocation } from '#libs/engine';
import type { Attributes, ConnectionSettings, OpenSpan, Tracing } from '#libs/platform';
import { traceScope, type TraceScope } from './trace-scope.js';

type Provider = ConnectionSettings['provider'];
/** `providers`: of each connection by its name. */
export type Tracer = {
  tracing: Tracing;
  redact: EngineDeps['redact'];
  providers: ReadonlyMap<string, Provider>;
};

/** As the conventions name them. */
const PROVIDER_NAMES: { readonly [provider in Provider]: string } = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'gcp.gemini',
  bedrock: 'aws.bedrock',
};

/** The span of a step, from its claim; before it one for the time in the queue. */
export function beginStep({ start }: Tracing, scope: TraceScope | null, { run, step }: Claimed): void {
  if (scope === null) return;
  scope.traceparent = run.traceparent;
  if (start === null) return;
  const ids = { 'weir.run_id': run.runId, 'weir.step_id': step.stepId, 'weir.item': step.item };
  start('queue', {
    ...{ kind: 'internal', parent: run.traceparent, startTime: new Date(step.queuedAt) },
    attributes: { ...ids, 'weir.dispatch_no': step.dispatchNo },
  }).end();
  const isAgent = step.kind === 'agent';
  scope.span = start(isAgent ? `invoke_agent ${step.stepId}` : `step ${step.stepId}`, {
    ...{ kind: 'consumer', parent: run.traceparent },
    attributes: {
      ...ids,
      ...{ 'weir.pipeline': run.pipeline, 'weir.step.kind': step.kind, 'weir.attempt': step.attempt },
      ...(isAgent
        ? {
            'gen_ai.operation.name': 'invoke_agent',
            'gen_ai.agent.name': step.stepId,
            'gen_ai.conversation.id': run.streamId,
          }
        : {}),
    },
  });
  scope.traceparent = scope.span.traceparent;
}

/** The same of a compaction. `parent`: that of the run which asked for it. */
export function beginCompaction(
  { start }: Tracing,
  scope: TraceScope | null,
  { compactionId, parent }: { compactionId: string; parent: string | null },
): void {
  if (scope === null || start === null) return;
  scope.span = start('compact', { kind: 'consumer', parent, attributes: { 'weir.compaction_id': compactionId } });
  scope.traceparent = scope.span.traceparent;
}

export async function traced<T>(
  { start }: Tracing,
  describe: () => { name: string; kind: 'client' | 'internal'; attributes: Attributes },
  work: () => Promise<T>,
  tell: (span: OpenSpan, outcome: T) => void,
): Promise<T> {
  if (start === null) return work();
  const { name, kind, attributes } = describe();
  const open = start(name, { kind, attributes, parent: traceScope()?.traceparent ?? null });
  try {
    const outcome = await work();
    tell(open, outcome);
    return outcome;
  } catch (error) {
    open.fail('exception');
    throw error;
  } finally {
    open.end();
  }
}

/** By the semantic conventions for generative AI. */
export function modelSpan({ tracing, redact, providers }: Tracer, { model, settings, position, request }: ModelCall) {
  const separator = model.indexOf(':');
  const name = model.slice(separator + 1);
  const connection = separator < 0 ? model : model.slice(0, separator);
  const provider = providers.get(connection);
  const content = tracing.capturesContent ? JSON.stringify(redact(jsonSchema.parse(request.messages))) : null;
  return {
    name: `chat ${name}`,
    kind: 'client' as const,
    attributes: {
      'gen_ai.operation.name': 'chat',
      // What answers without a provider (`scripted`, `builtin`, `replay`) has no other name.
      'gen_ai.provider.name': provider === undefined ? connection : PROVIDER_NAMES[provider],
      'gen_ai.request.model': name,
      'gen_ai.request.max_tokens': settings.maxOutputTokens,
      'gen_ai.request.temperature': settings.temperature,
      'gen_ai.conversation.id': position.streamId,
      'weir.run_id': position.runId,
      'weir.step_id': position.stepId,
      'weir.call': position.callNo,
      'gen_ai.input.messages': content,
    },
  };
}

export function tellModel({ tracing, redact }: Tracer, span: OpenSpan, outcome: ModelOutcome): void {
  const { usage, costUsd } = outcome;
  span.set({
    'gen_ai.usage.input_tokens': usage?.input_tokens ?? null,
    'gen_ai.usage.output_tokens': usage?.output_tokens ?? null,
    'gen_ai.usage.cache_read.input_tokens': usage?.cached_tokens ?? null,
    'weir.cost_usd': costUsd,
  });
  if (outcome.kind === 'failure') return span.fail(outcome.class);
  span.set({
    'gen_ai.response.finish_reasons': [outcome.finishReason],
    'gen_ai.output.messages': tracing.capturesContent
      ? JSON.stringify(redact(jsonSchema.parse([outcome.message])))
      : null,
  });
}

export function toolSpan(
  { tracing, redact }: Tracer,
  { tool, definition, args, toolCallId, position }: ToolInvocation,
) {
  return {
    name: `execute_tool ${tool.name}`,
    kind: 'internal' as const,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool.name,
      'gen_ai.tool.type': definition?.kind ?? 'builtin',
      'gen_ai.tool.call.id': toolCallId ?? null,
      'weir.run_id': position.runId,
      'weir.step_id': position.stepId,
      'gen_ai.tool.call.arguments': tracing.capturesContent ? JSON.stringify(redact(args)) : null,
    },
  };
}
