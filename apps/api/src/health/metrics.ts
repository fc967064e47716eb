import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { countSteps, type Database } from '#libs/event-store';
import type { ApiParts } from '../api-parts.js';
import { addBacklogMetrics } from './backlog-metrics.js';
import { addCompactionMetrics } from './compaction-metrics.js';
import { addTriggerMetrics } from './trigger-metrics.js';

export type ApiMetrics = {
  registry: Registry;
  /** `route` is the pattern, so that ids make no new series. */
  requestEnded(request: { method: string; route: string; status: number; seconds: number }): void;
  streamOpened(): void;
  /** `lagged`: the client did not read fast enough. `failed`: the store could not be read. */
  streamClosed(why: StreamEnd): void;
};

export type StreamEnd = 'ended' | 'gone' | 'lagged' | 'shutdown' | 'failed';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type MetricParts = Pick<ApiParts, 'registry' | 'database' | 'queueConnections'>;

/** Node's own numbers, requests, and how many steps of the installation wait and run (asked at each scrape). */
export function createApiMetrics({ registry, database, queueConnections }: MetricParts): ApiMetrics {
  registry.setDefaultLabels({ app: 'api' });
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'weir_http_request_duration_seconds',
    help: 'Time to answer, by route pattern. Event streams are left out.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const open = new Gauge({ name: 'weir_event_streams', help: 'Event streams that are open.', registers: [registry] });
  const closed = new Counter({
    name: 'weir_event_streams_closed_total',
    help: 'Event streams that were closed, and why.',
    labelNames: ['why'],
    registers: [registry],
  });
  redisGauge(registry, queueConnections);
  stepGauges(registry, database);
  addBacklogMetrics(registry, database);
  addCompactionMetrics(registry, database);
  addTriggerMetrics(registry, database);
  return {
    registry,
    streamOpened: () => open.inc(),
    streamClosed: (why) => {
      open.dec();
      closed.inc({ why });
    },
    requestEnded: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
  };
}

/** Row C8: what grows here with the load is a leak. */
function redisGauge(registry: Registry, queueConnections: ApiParts['queueConnections']): void {
  new Gauge({
    name: 'weir_redis_connections',
    help: 'Connections of all clients to the Redis of the queue.',
    registers: [registry],
    async collect() {
      this.set((await queueConnections()) ?? NaN);
    },
  });
}

function stepGauges(registry: Registry, database: Database): void {
  const runnable = new Gauge({
    name: 'weir_steps_runnable',
    help: 'Steps that wait for a worker, in Postgres or in the queue.',
    registers: [registry],
  });
  const waiting = new Gauge({
    name: 'weir_steps_waiting',
    help: 'Steps that wait for something else than a worker.',
    registers: [registry],
  });
  new Gauge({
    name: 'weir_steps_running',
    help: 'Steps that a worker holds.',
    registers: [registry],
    async collect() {
      const counts = await countSteps(database.kysely, null).catch(() => null);
      // Without the database these numbers are not known; zero would look like an idle installation.
      runnable.set(counts === null ? NaN : counts.runnable + counts.dispatched);
      waiting.set(counts?.waiting ?? NaN);
      this.set(counts?.running ?? NaN);
    },
  });
}

export const METRICS = Symbol('ApiMetrics');
