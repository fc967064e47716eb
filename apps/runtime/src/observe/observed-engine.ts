import type { NewEvent } from '#libs/domain';
import type { AppendResult, AppendUnit, EngineDeps } from '#libs/engine';
import type { EngineMetrics } from './engine-metrics.js';

type Observed = Pick<EngineDeps, 'log' | 'runs' | 'compactions' | 'models' | 'tools'>;

/**
 * The same ports, looked at from outside: the engine's code knows nothing of metrics. What is counted is what was
 * committed; nothing here throws or waits.
 */
export function observedEngine(ports: Observed, metrics: EngineMetrics): Observed {
  return {
    log: observedLog(ports.log, metrics),
    runs: observedRuns(ports.runs, metrics),
    compactions: observedCompactions(ports.compactions, metrics),
    models: observedModels(ports.models, metrics),
    tools: observedTools(ports.tools, metrics),
  };
}

function newEvents(units: readonly AppendUnit[], results: readonly AppendResult[]): NewEvent[] {
  return units.flatMap(({ events }, index) => {
    const result = results[index];
    return result?.status === 'appended' && !result.repeated ? events : [];
  });
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
      count(newEvents(units, results), metrics);
      return results;
    },
  };
}

function observedRuns(runs: EngineDeps['runs'], metrics: EngineMetrics): EngineDeps['runs'] {
  return {
    ...runs,
    transact: async (work) => {
      // Of the attempt that was committed.
      let events: NewEvent[] = [];
      const result = await runs.transact((tx) => {
        events = [];
        const append: typeof tx.append = async (units) => {
          const results = await tx.append(units);
          events.push(...newEvents(units, results));
          return results;
        };
        return work({ ...tx, append });
      });
      count(events, metrics);
      return result;
    },
    claimStep: async (claim) => {
      const claimed = await runs.claimStep(claim);
      if (claimed !== null) metrics.stepClaimed((Date.now() - Date.parse(claimed.step.queuedAt)) / 1000);
      return claimed;
    },
    heartbeat: async (held, leaseMs, workerBytes) => {
      const renewed = await runs.heartbeat(held, leaseMs, workerBytes);
      metrics.leasesLost(held.length - renewed.size);
      return renewed;
    },
  };
}

function observedCompactions(
  compactions: EngineDeps['compactions'],
  metrics: EngineMetrics,
): EngineDeps['compactions'] {
  return {
    ...compactions,
    heartbeatCompactions: async (held, leaseMs) => {
      const renewed = await compactions.heartbeatCompactions(held, leaseMs);
      metrics.leasesLost(held.length - renewed.size);
      return renewed;
    },
  };
}

function observedModels(models: EngineDeps['models'], metrics: EngineMetrics): EngineDeps['models'] {
  return {
    ...models,
    call: async (call) => {
      const startedAt = performance.now();
      const outcome = await models.call(call);
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

function observedTools(tools: EngineDeps['tools'], metrics: EngineMetrics): EngineDeps['tools'] {
  return {
    ...tools,
    invoke: async (invocation) => {
      const startedAt = performance.now();
      const outcome = await tools.invoke(invocation);
      const seconds = (performance.now() - startedAt) / 1000;
      metrics.toolCalled({ kind: invocation.definition?.kind ?? 'builtin', status: outcome.status, seconds });
      return outcome;
    },
  };
}
