import { Gauge, type Registry } from 'prom-client';
import { measureBacklog, type Backlog, type Database } from '#libs/event-store';

type Sample = { labels?: { [label: string]: string }; value: (backlog: Backlog) => number };

const GAUGES: readonly { name: string; help: string; label?: string; samples: readonly Sample[] }[] = [
  {
    name: 'weir_outbox_steps',
    help: 'Steps that can run and are not in the queue yet: beyond what the workers have room for, or the queue is away.',
    samples: [{ value: (backlog) => backlog.outboxSteps }],
  },
  {
    name: 'weir_outbox_age_seconds',
    help: 'How long the first row that can run has not been in the queue.',
    label: 'of',
    samples: [
      { labels: { of: 'steps' }, value: (backlog) => backlog.outboxAgeS },
      { labels: { of: 'compactions' }, value: (backlog) => backlog.compactionOutboxAgeS },
    ],
  },
  {
    name: 'weir_queue_age_seconds',
    help: 'How long the first row in the queue has waited there for a worker.',
    label: 'of',
    samples: [
      { labels: { of: 'steps' }, value: (backlog) => backlog.queueAgeS },
      { labels: { of: 'compactions' }, value: (backlog) => backlog.compactionQueueAgeS },
    ],
  },
  {
    name: 'weir_runs_open',
    help: 'Runs that have not ended, by status.',
    label: 'status',
    samples: [
      { labels: { status: 'queued' }, value: (backlog) => backlog.runsQueued },
      { labels: { status: 'running' }, value: (backlog) => backlog.runsRunning },
      { labels: { status: 'waiting' }, value: (backlog) => backlog.runsWaiting },
      { labels: { status: 'cancelling' }, value: (backlog) => backlog.runsCancelling },
    ],
  },
  {
    name: 'weir_feed_lag_seconds',
    help: 'How long the oldest transaction that wrote has been open: newer events are not shown yet.',
    samples: [{ value: (backlog) => backlog.feedLagS }],
  },
];

/** What waits in the installation, asked at each scrape: once for all of them. */
export function addBacklogMetrics(registry: Registry, database: Database): void {
  let underWay: Promise<Backlog | null> | null = null;
  const read = (): Promise<Backlog | null> => {
    underWay ??= measureBacklog(database.kysely)
      .catch(() => null)
      .finally(() => {
        underWay = null;
      });
    return underWay;
  };
  for (const { name, help, label, samples } of GAUGES)
    new Gauge({
      ...{ name, help, labelNames: label === undefined ? [] : [label], registers: [registry] },
      async collect() {
        const backlog = await read();
        // Without the database these numbers are not known; zero would look like an idle installation.
        for (const { labels, value } of samples) this.set(labels ?? {}, backlog === null ? NaN : value(backlog));
      },
    });
}
