// What is measured of Weir, against whom, and how much is asked: the table of the benchmark.

/** The runs of one peer and workload, as the harness wrote them. */
const of = (results, peer, variant, w) => results.filter((r) => r.peer === peer && r.variant === variant && r.w === w);
const weir = (results, w) => of(results, 'weir', w === 'W4' ? 'agent' : 'tool', w);

export function median(values) {
  const sorted = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Weir's value by the rival's, each a median; null when one of them was not run. */
const ratio = (name, w, field, [peer, variant], most, limit, aim) => ({
  name,
  most,
  limit,
  aim,
  runs: (results) => {
    const rival = median(of(results, peer, variant, w).map(field));
    return rival ? weir(results, w).map((run) => field(run) / rival) : [];
  },
});
const own = (name, w, field, limit, aim) => ({
  name,
  most: true,
  limit,
  aim,
  runs: (results) => weir(results, w).map(field),
});

/** Of measurements of Weir alone, beside the median of a field of W1. */
const byW1 = (name, variant, w, field, w1Field, limit, aim) => ({
  name,
  most: false,
  limit,
  aim,
  runs: (results) => {
    const w1 = median(weir(results, 'W1').map(w1Field));
    return w1 ? of(results, 'weir', variant, w).map((run) => field(run) / w1) : [];
  },
});
const alone = (name, variant, w, field, limit, aim) => ({
  name,
  most: true,
  limit,
  aim,
  runs: (results) => of(results, 'weir', variant, w).map(field),
});

const steps = (run) => run.steps_s;
const items = (run) => run.items_s;
const transition = (run) => run.step_p50_ms;
const cpu = (run) => run.cpu_ms_per_unit.all;
const BULLMQ = ['bullmq', 'raw'];
const DBOS = ['dbos', 'direct'];
const LANGGRAPH = ['langgraph', 'sync'];
const GRAPHILE = ['graphile-worker', 'batched'];

/** `most`: the value must not be more than the limit; else not less. */
export const MEASURES = [
  ratio('w1_steps_by_bullmq', 'W1', steps, BULLMQ, false, 0.5, 0.75),
  ratio('w1_steps_by_dbos', 'W1', steps, DBOS, false, 2.5, 4),
  ratio('w1_steps_by_langgraph_sync', 'W1', steps, LANGGRAPH, false, 6, 9),
  ratio('w1_steps_by_graphile_batched', 'W1', steps, GRAPHILE, false, 2, 3.5),
  ratio('w2_transition_by_bullmq', 'W2', transition, BULLMQ, true, 5, 2.5),
  ratio('w2_transition_by_dbos', 'W2', transition, DBOS, true, 1.1, 0.6),
  ratio('w3_items_by_bullmq', 'W3', items, BULLMQ, false, 0.45, 0.65),
  ratio('w3_items_by_dbos', 'W3', items, DBOS, false, 3, 5),
  ratio('w3_items_by_langgraph_sync', 'W3', items, LANGGRAPH, false, 4, 6),
  own('w1_transactions_a_step', 'W1', (run) => run.commits_per_unit, 1, 0.45),
  own('w1_fsyncs_a_step', 'W1', (run) => run.fsyncs_per_unit, 0.4, 0.2),
  own('w1_wal_bytes_a_step', 'W1', (run) => run.wal_bytes_per_unit, 1000, 750),
  own('w1_redis_scripts_a_step', 'W1', (run) => run.redis_scripts_per_unit, 2.1, 2),
  ratio('w1_cpu_by_bullmq', 'W1', cpu, BULLMQ, true, 2, 1.3),
  ratio('w4_wal_by_dbos', 'W4', (run) => run.wal_bytes, DBOS, true, 1.2, 0.8),
  own('w4_ms_a_turn', 'W4', (run) => run.turn_ms, 12, 7),
  own('w4_last_by_first_tenth', 'W4', (run) => run.last_tenth_ms / run.first_tenth_ms, 1.3, 1.1),
  // Both lengths of the log are judged, the shorter one shows more.
  alone('context_rebuild_by_raw', 'context', 'rebuild', (run) => run.cold_by_raw, 1.5, 1.15),
  alone('http_start_p99_by_p50', 'http', 'start', (run) => run.p99_ms / run.p50_ms, 5, 3),
  byW1(
    'http_starts_by_w1_starts',
    'http',
    'start',
    (run) => run.per_s,
    (run) => run.workflows_s,
    0.5,
    0.8,
  ),
  byW1('steps_behind_old_runs_by_none', 'history', 'W1', steps, steps, 0.9, 1),
];

export function judged(measure, results) {
  const runs = measure.runs(results);
  const value = median(runs);
  if (value === null) return null;
  const meets = (bound) => (measure.most ? value <= bound : value >= bound);
  return {
    measure: measure.name,
    value: Number(value.toPrecision(4)),
    limit: measure.limit,
    must: meets(measure.limit),
    aim: meets(measure.aim),
    runs: runs.map((run) => Number(run.toPrecision(4))),
  };
}
