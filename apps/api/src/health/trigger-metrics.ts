import { Gauge, type Registry } from 'prom-client';
import { countTriggers, type Database } from '#libs/event-store';

/** Webhooks and schedules of the installation, asked at each scrape. */
export function addTriggerMetrics(registry: Registry, database: Database): void {
  const disabled = new Gauge({
    name: 'weir_webhook_endpoints_disabled',
    help: 'Webhook endpoints that get nothing until somebody enables them.',
    registers: [registry],
  });
  const overdue = new Gauge({
    name: 'weir_schedules_overdue',
    help: 'Schedules whose next tick was due over a minute ago.',
    registers: [registry],
  });
  new Gauge({
    name: 'weir_webhook_deliveries',
    help: 'Webhook deliveries that wait for an attempt (pending), or for somebody to send them again (dead).',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const counts = await countTriggers(database.kysely).catch(() => null);
      // Without the database these numbers are not known; zero would look as if all were well.
      this.set({ status: 'pending' }, counts?.pending ?? NaN);
      this.set({ status: 'dead' }, counts?.dead ?? NaN);
      disabled.set(counts?.disabled ?? NaN);
      overdue.set(counts?.overdue ?? NaN);
    },
  });
}
