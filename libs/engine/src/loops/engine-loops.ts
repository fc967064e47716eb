import { heartbeat, pollCancels } from '../claim/heartbeat.js';
import { heartbeatCompactions } from '../compact-stream/run-compaction-job.js';
import { relayCompactions } from '../dispatch/relay-compactions.js';
import { relay } from '../dispatch/relay.js';
import type { EngineDeps } from '../engine-deps.js';
import { checkEpoch } from '../sweep/check-epoch.js';
import { runDueSchedules } from '../schedules/run-due-schedules.js';
import { sweep, wakeDue, type SweepReport } from '../sweep/sweep.js';
import { WebhookCourier } from '../webhooks/webhook-courier.js';
import { startLoop, type Loop, type LoopWork, type Turning } from './loop.js';

/** `leases`: what this process runs and must renew; the API runs nothing. */
export type EngineLoopsOptions = {
  relayMs: number;
  sweepMs: number;
  leases: 'steps' | 'compactions' | 'none';
  onSwept?: (report: SweepReport) => void;
};

export type EngineLoops = Turning & {
  /** Each with how long it has not turned although it should have. */
  overdue(): { name: string; ms: number }[];
};

/** Timers are as exact as this, and so is the discovery that the queue lost its data. */
const DUE_MS = 1000;
/** With Redis away a cancel reaches a running step within this time. */
const CANCEL_POLL_MS = 2000;

/** Deliveries that were taken, out and in, are known this long: a sender's repetition after it counts as new. */
const KEEP_DELIVERIES_MS = 30 * 86_400_000;
const FORGET_MS = 3_600_000;
const FORGET_BATCH = 1000;

/**
 * What every process does beside its work: relay, sweep, and for the steps that it runs heartbeats and cancels. All of it
 * may run any number of times at once (skip locked, fences), so nobody is elected.
 */
export function startEngineLoops(deps: EngineDeps, options: EngineLoopsOptions): EngineLoops {
  const works: LoopWork[] = [
    ...leaseLoops(deps, options.leases),
    { name: 'compactions', everyMs: options.relayMs, turn: async () => (await relayCompactions(deps)).more },
    { name: 'epoch', everyMs: DUE_MS, turn: () => checkEpoch(deps).then(() => false) },
    { name: 'due', everyMs: DUE_MS, turn: async () => (await wakeDue(deps)).more },
    { name: 'schedules', everyMs: DUE_MS, turn: async () => (await runDueSchedules(deps)).more },
    { name: 'sweep', everyMs: options.sweepMs, turn: () => sweepAndTell(deps, options) },
  ];
  const courier = new WebhookCourier(deps);
  // Workers are where calls to the outside come from; the API makes none.
  if (options.leases === 'steps') works.push(...webhookLoops(deps, courier));
  const relayLoop = startLoop(
    { name: 'relay', everyMs: options.relayMs, turn: async () => (await relay(deps)).more },
    deps.logger,
  );
  deps.admission.onRoom(() => relayLoop.wake());
  // Only who takes jobs sees that the queue has room again.
  if (options.leases === 'steps') deps.wakeups.onCrowded(() => deps.admission.noteCrowd());
  const loops: Loop[] = [relayLoop, ...works.map((work) => startLoop(work, deps.logger))];
  return {
    overdue: () => loops.map((loop) => ({ name: loop.name, ms: loop.overdueMs() })),
    stop: async (timeoutMs) => {
      const late = await Promise.all(loops.map((loop) => loop.stop(timeoutMs)));
      // Their signal has been aborted: what is left is to write down how they ended.
      await courier.ended();
      return late.flat();
    },
  };
}

async function sweepAndTell(deps: EngineDeps, { onSwept }: EngineLoopsOptions): Promise<false> {
  onSwept?.(await sweep(deps));
  return false;
}

function webhookLoops(deps: EngineDeps, courier: WebhookCourier): LoopWork[] {
  const forget = async (): Promise<boolean> =>
    (await deps.runs.forgetDeliveries(KEEP_DELIVERIES_MS, FORGET_BATCH)) >= FORGET_BATCH;
  return [
    { name: 'webhooks', everyMs: DUE_MS, turn: (signal) => courier.turn(signal) },
    { name: 'forget', everyMs: FORGET_MS, turn: forget },
  ];
}

function leaseLoops(deps: EngineDeps, leases: EngineLoopsOptions['leases']): LoopWork[] {
  const everyMs = deps.settings.heartbeatMs;
  switch (leases) {
    case 'none':
      return [];
    case 'compactions':
      return [{ name: 'heartbeat', everyMs, turn: () => heartbeatCompactions(deps).then(() => false) }];
    case 'steps':
      deps.wakeups.onCancel((id) => {
        // A run that is to be cancelled, or one step that ended without its worker.
        deps.held.stopRun(id, 'cancelled');
        deps.held.stopStep(id, 'fenced');
      });
      return [
        { name: 'heartbeat', everyMs, turn: () => heartbeat(deps).then(() => false) },
        {
          name: 'cancels',
          everyMs: Math.min(CANCEL_POLL_MS, everyMs),
          turn: () => pollCancels(deps).then(() => false),
        },
      ];
  }
}
