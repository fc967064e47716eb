import type { EngineDeps } from '../engine-deps.js';
import type { ClaimedDelivery } from '../ports/trigger-store.port.js';
import { attemptDelivery } from './attempt-delivery.js';

/** Attempts under way in this process, in all and to one endpoint. */
const MOST = 32;
const MOST_PER_ENDPOINT = 4;
/** Longer than an attempt may take; a delivery whose process died is due again then. */
const LEASE_MS = 60_000;

/** Takes due deliveries and sends them beside each other, so that a slow receiver keeps only its own waiting. */
export class WebhookCourier {
  private readonly underWay = new Map<Promise<void>, string>();

  constructor(private readonly deps: EngineDeps) {}

  /** Takes what is due. True: something was, so there may be more. */
  async turn(signal: AbortSignal): Promise<boolean> {
    if (this.underWay.size >= MOST) await Promise.race(this.underWay.keys());
    const claimed = await this.deps.runs.claimDeliveries({
      limit: MOST - this.underWay.size,
      perEndpoint: MOST_PER_ENDPOINT,
      busy: this.busyEndpoints(),
      leaseMs: LEASE_MS,
    });
    for (const delivery of claimed) this.begin(delivery, signal);
    return claimed.length > 0;
  }

  /** Resolves when no attempt is under way any more. */
  async ended(): Promise<void> {
    await Promise.all(this.underWay.keys());
  }

  private begin(delivery: ClaimedDelivery, signal: AbortSignal): void {
    const attempt = attemptDelivery(this.deps, delivery, signal)
      .catch((error: unknown) => {
        const fields = { delivery_id: delivery.deliveryId, error: String(error) };
        this.deps.logger.warn(fields, 'the outcome of a webhook delivery was not stored; it will be sent again');
      })
      .finally(() => this.underWay.delete(attempt));
    this.underWay.set(attempt, delivery.endpointId);
  }

  private busyEndpoints(): string[] {
    const counts = new Map<string, number>();
    for (const endpointId of this.underWay.values()) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1);
    return [...counts].flatMap(([endpointId, count]) => (count >= MOST_PER_ENDPOINT ? [endpointId] : []));
  }
}
