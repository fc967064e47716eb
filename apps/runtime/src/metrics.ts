import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import type { HeldSteps } from '#libs/engine';

export type AppMetrics = { registry: Registry; jobEnded: (outcome: 'done' | 'threw') => void };

/** What a worker or compactor shows on `/metrics`, beside Node's own numbers. */
export function createMetrics(app: string, held: HeldSteps, registry: Registry): AppMetrics {
  registry.setDefaultLabels({ app });
  collectDefaultMetrics({ register: registry });
  const jobs = new Counter({
    name: 'weir_jobs_total',
    help: 'Jobs taken from the queue: done (their step may have failed) or threw (its lease brings the step back).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  new Gauge({
    name: 'weir_steps_running',
    help: 'Steps whose lease this process holds.',
    registers: [registry],
    collect() {
      this.set(held.all().length);
    },
  });
  return { registry, jobEnded: (outcome) => jobs.inc({ outcome }) };
}
