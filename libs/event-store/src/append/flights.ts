import { RetryableError } from '#libs/domain';
import type { AppendResult, AppendUnit } from '#libs/engine';
import { databaseError } from '../database-error.js';
import { retryContention } from './retry-contention.js';
import { takeFlight } from './take-flight.js';

type Waiting = { unit: AppendUnit; resolve: (result: AppendResult) => void; reject: (error: unknown) => void };

/**
 * Gathers units into flights: what is ready while the previous flight is under way goes together in the next one. No
 * timer: a unit that finds nothing under way leaves at once. One flight at a time, so a stream's units keep their order.
 */
export class Flights {
  private pending: Waiting[] = [];
  private isUnderWay = false;

  /** `fly` appends the units and answers in their order. */
  constructor(private readonly fly: (units: AppendUnit[]) => Promise<AppendResult[]>) {}

  append(unit: AppendUnit): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      this.pending.push({ unit, resolve, reject });
      if (!this.isUnderWay) {
        this.isUnderWay = true;
        // Units handed over in the same turn of the event loop leave together.
        queueMicrotask(() => void this.leave());
      }
    });
  }

  private async leave(): Promise<void> {
    while (this.pending.length > 0) {
      const { take, rest } = takeFlight(this.pending);
      this.pending = rest;
      await this.settle(take);
    }
    this.isUnderWay = false;
  }

  /** Never throws: each unit's promise carries what happened to it. */
  private async settle(flight: readonly Waiting[]): Promise<void> {
    try {
      const results = await retryContention(() => this.fly(flight.map(({ unit }) => unit)));
      flight.forEach((waiting, index) => {
        const result = results[index];
        if (result === undefined) waiting.reject(new Error('a flight came back without an answer for this unit'));
        else waiting.resolve(result);
      });
    } catch (error) {
      const failure = databaseError(error);
      // A database that is away fails every unit; anything else is one unit's fault, and the others must not pay for it.
      if (flight.length > 1 && !(failure instanceof RetryableError))
        for (const waiting of flight) await this.settle([waiting]);
      else for (const waiting of flight) waiting.reject(failure);
    }
  }
}
