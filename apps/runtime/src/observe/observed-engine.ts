import type { NewEvent } from '#libs/domain';
import type { EngineDeps, RunTransaction } from '#libs/engine';
import { storedBy } from '#libs/event-store';
import type { EngineMetrics } from './engine-metrics.js';
import { inJobScope, traceScope, type TraceScope } from './trace-scope.js';
import { beginCompaction, beginStep, modelSpan, tellModel, toolSpan, traced, type Tracer } from './traced-calls.js';

type Ports = Pick<EngineDeps, 'log' | 'runs' | 'compactions' | 'models' | 'tools'>;
type Observed = Ports & Pick<EngineDeps, 'inStep'>;

/**
 * The same ports, looked at from outside: the engine's code knows nothing of metrics and traces. What is counted is what was
 * committed; nothing here throws or waits.
 */
export function observedEngine(ports: Ports, metrics: EngineMetrics, tracer: Tracer): Observed {
  return {
    log: observedLog(ports.log, metrics),
    runs: observedRuns(ports.runs, metrics),
    inStep: observedSteps(metrics, tracer),
    compactions: observedCompactions(ports, metrics, tracer),
    models: observedModels(ports.models, metrics, tracer),
    tools: observedTools(ports.tools, metrics, tracer),
  };
}

function count(events: readonly NewEvent[], metrics: EngineMetrics): void {
  metrics.eventsStored(events.map(({ type }) => type));
  for (const event of events)
    if (event.type === 'LlmCallStarted')
      metrics.contextBuilt({
        buildMs: Number(event.data['build_ms'] ?? 0),
        chars: Number(event.data['approx_context_chars']),
      });
}

function observedLog(log: EngineDeps['log'], metrics: EngineMetrics): EngineDeps['log'] {
  return {
    ...log,
    append: async (units) => {
      const results = await log.append(units);
      count(storedBy(units, results), metrics);
      return results;
    },
  };
}

type Work<T> = (tx: RunTransaction) => Promise<T>;

/** Counts what the attempt that was committed has stored; a run that it inserts joins the trace under way. */
async function watched<T>(metrics: EngineMetrics, work: Work<T>, transact: (work: Work<T>) => Promise<T>): Promise<T> {
  // Taken here: works that share a transaction are called from each other's.
  const scope = traceScope();
  let events: readonly NewEvent[] = [];
  const result = await transact(async (tx) => {
    // Works on one run may share it.
    const before = tx.recorded.length;
    const done = await work(joined(tx, scope));
    events = tx.recorded.slice(before);
    return done;
  });
  count(events, metrics);
  tellOutcome(scope, events);
  return result;
}

function joined(tx: RunTransaction, scope: TraceScope | null): RunTransaction {
  const traceparent = scope?.traceparent ?? null;
  if (traceparent === null) return tx;
  const insertRun: RunTransaction['insertRun'] = (run) => tx.insertRun({ ...run, traceparent });
  return new Proxy(tx, {
    get: (_tx, name, receiver): unknown => (name === 'insertRun' ? insertRun : Reflect.get(tx, name, receiver)),
  });
}

/** The last word about a step, as its event is named. */
function tellOutcome(scope: TraceScope | null, events: readonly NewEvent[]): void {
  if (scope?.span == null) return;
  const last = events.findLast(({ type }) =>
    /^Step(Succeeded|Failed|Cancelled|TimedOut|DeadLettered|Released|Waiting)$/.test(type),
  );
  if (last === undefined) return;
  scope.span.set({ 'weir.outcome': last.type });
  if (/Failed|TimedOut|DeadLettered/.test(last.type)) scope.span.fail(last.type);
}

/** A step counts, and its span begins, with its claim. */
function observedSteps(metrics: EngineMetrics, { tracing }: Tracer): EngineDeps['inStep'] {
  return (claimed, work) => {
    metrics.stepClaimed((Date.now() - Date.parse(claimed.step.queuedAt)) / 1000);
    return inJobScope(tracing, (scope) => {
      beginStep(tracing, scope, claimed);
      return work();
    });
  };
}

function observedRuns(runs: EngineDeps['runs'], metrics: EngineMetrics): EngineDeps['runs'] {
  return {
    ...runs,
    transact: (work) => watched(metrics, work, (watching) => runs.transact(watching)),
    transactRun: (about, work, underWay) =>
      watched(metrics, work, (watching) => runs.transactRun(about, watching, underWay)),
    heartbeat: async (held, leaseMs, workerBytes) => {
      const renewed = await runs.heartbeat(held, leaseMs, workerBytes);
      metrics.leasesLost(held.length - renewed.size);
      return renewed;
    },
  };
}

function observedCompactions(
  { compactions, runs }: Pick<Ports, 'compactions' | 'runs'>,
  metrics: EngineMetrics,
  { tracing }: Tracer,
): EngineDeps['compactions'] {
  return {
    ...compactions,
    claimCompaction: async (claim) => {
      const scope = traceScope();
      const claimed = await compactions.claimCompaction(claim);
      if (claimed === null || tracing.start === null) return claimed;
      const run = claimed.runId === null ? null : await runs.getRun(claimed.projectId, claimed.runId);
      beginCompaction(tracing, scope, { compactionId: claimed.compactionId, parent: run?.traceparent ?? null });
      return claimed;
    },
    heartbeatCompactions: async (held, leaseMs) => {
      const renewed = await compactions.heartbeatCompactions(held, leaseMs);
      metrics.leasesLost(held.length - renewed.size);
      return renewed;
    },
  };
}

function observedModels(models: EngineDeps['models'], metrics: EngineMetrics, tracer: Tracer): EngineDeps['models'] {
  return {
    ...models,
    call: async (call) => {
      const startedAt = performance.now();
      const outcome = await traced(
        tracer.tracing,
        () => modelSpan(tracer, call),
        () => models.call(call),
        (span, ended) => tellModel(tracer, span, ended),
      );
      const { usage, costUsd } = outcome;
      metrics.modelCalled({
        model: call.model,
        outcome: outcome.kind === 'answer' ? 'answer' : outcome.class,
        seconds: (performance.now() - startedAt) / 1000,
        tokens: {
          input: usage?.input_tokens ?? 0,
          cached: usage?.cached_tokens ?? 0,
          output: usage?.output_tokens ?? 0,
        },
        costUsd: costUsd ?? 0,
      });
      return outcome;
    },
  };
}

function observedTools(tools: EngineDeps['tools'], metrics: EngineMetrics, tracer: Tracer): EngineDeps['tools'] {
  return {
    ...tools,
    invoke: async (invocation) => {
      const startedAt = performance.now();
      const outcome = await traced(
        tracer.tracing,
        () => toolSpan(tracer, invocation),
        () => tools.invoke(invocation),
        (span, ended) => (ended.status === 'error' ? span.fail('tool_error') : undefined),
      );
      const seconds = (performance.now() - startedAt) / 1000;
      metrics.toolCalled({ kind: invocation.definition?.kind ?? 'builtin', status: outcome.status, seconds });
      return outcome;
    },
  };
}
