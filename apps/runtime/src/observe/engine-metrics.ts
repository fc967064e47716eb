import { Counter, Histogram, type Registry } from 'prom-client';
import type { SweepReport } from '#libs/engine';

/** What each process counts of its own work. Labels are bounded: types, states, kinds, and at most `MOST_MODELS` models. */
export type EngineMetrics = {
  eventsStored: (types: readonly string[]) => void;
  stepClaimed: (waitedSeconds: number) => void;
  leasesLost: (count: number) => void;
  swept: (report: SweepReport) => void;
  contextBuilt: (context: { buildMs: number; chars: number }) => void;
  modelCalled: (call: ModelCallFacts) => void;
  toolCalled: (call: { kind: string; status: string; seconds: number }) => void;
};

export type ModelCallFacts = {
  model: string;
  /** `answer`, or the class of its failure. */
  outcome: string;
  seconds: number;
  tokens: { input: number; cached: number; output: number };
  costUsd: number;
};

const MOST_MODELS = 50;
const WAIT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];
const CALL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640];
const BUILD_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const CONTEXT_CHARS = [1e3, 5e3, 1e4, 2.5e4, 5e4, 1e5, 2.5e5, 5e5, 1e6];

export function engineMetrics(registry: Registry): EngineMetrics {
  const registers = [registry];
  const events = new Counter({
    name: 'weir_events_total',
    help: 'Events that this process stored, by type: runs, steps, model and tool calls, compactions as they begin and end.',
    ...{ labelNames: ['type'], registers },
  });
  const queue = new Histogram({
    name: 'weir_step_queue_seconds',
    help: 'From the moment that a step could run until a worker had it.',
    ...{ buckets: WAIT_SECONDS, registers },
  });
  const leases = new Counter({
    name: 'weir_leases_lost_total',
    help: 'Steps and compactions that were taken away from this process while it worked on them.',
    registers,
  });
  const sweeps = new Counter({
    name: 'weir_sweeper_actions_total',
    help: 'What the sweeper set going again, by what was found. `failures`: rows that it could not mend.',
    ...{ labelNames: ['action'], registers },
  });
  return {
    eventsStored: (types) => types.forEach((type) => events.inc({ type })),
    stepClaimed: (seconds) => queue.observe(Math.max(0, seconds)),
    leasesLost: (count) => leases.inc(count),
    swept: (report) => Object.entries(report).forEach(([action, count]) => sweeps.inc({ action }, count)),
    ...contextMetrics(registry),
    ...callMetrics(registry),
  };
}

function contextMetrics(registry: Registry): Pick<EngineMetrics, 'contextBuilt'> {
  const registers = [registry];
  const build = new Histogram({
    name: 'weir_context_build_seconds',
    help: 'Time to build the context of a model call from the stored events.',
    ...{ buckets: BUILD_SECONDS, registers },
  });
  const chars = new Histogram({
    name: 'weir_context_chars',
    help: 'Size of the contexts that were sent, in code points.',
    ...{ buckets: CONTEXT_CHARS, registers },
  });
  return {
    contextBuilt: (context) => {
      build.observe(context.buildMs / 1000);
      chars.observe(context.chars);
    },
  };
}

function callMetrics(registry: Registry): Pick<EngineMetrics, 'modelCalled' | 'toolCalled'> {
  const registers = [registry];
  const calls = new Histogram({
    name: 'weir_model_call_seconds',
    help: 'Model calls, of steps and of compactions, by model and outcome (answer, or the class of the failure).',
    ...{ labelNames: ['model', 'outcome'], buckets: CALL_SECONDS, registers },
  });
  const tokens = new Counter({
    name: 'weir_model_tokens_total',
    help: 'Tokens as providers reported them. `cached` is a part of `input`.',
    ...{ labelNames: ['model', 'kind'], registers },
  });
  const cost = new Counter({
    name: 'weir_model_cost_dollars_total',
    help: 'What model calls cost, in US dollars.',
    ...{ labelNames: ['model'], registers },
  });
  const tools = new Histogram({
    name: 'weir_tool_call_seconds',
    help: 'Tool calls by kind and status.',
    ...{ labelNames: ['kind', 'status'], buckets: CALL_SECONDS, registers },
  });
  const modelLabel = boundedLabel(MOST_MODELS);
  return {
    modelCalled: (call) => {
      const model = modelLabel(call.model);
      calls.observe({ model, outcome: call.outcome }, call.seconds);
      for (const [kind, count] of Object.entries(call.tokens)) tokens.inc({ model, kind }, count);
      cost.inc({ model }, call.costUsd);
    },
    toolCalled: ({ kind, status, seconds }) => tools.observe({ kind, status }, seconds),
  };
}

/** Authors choose models, so their names are not ours to bound: those after the first `most` share one series. */
export function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.size < most) known.add(value);
    return known.has(value) ? value : 'other';
  };
}
