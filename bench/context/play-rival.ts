import type { EffectivePolicy, NeutralMessage, NeutralRequest, Transcript } from '../../libs/context/src/index.js';
import { recordedSession, RECORDED_MODEL } from '../../libs/engine/src/index.js';
import type { StoredEvent } from '../../libs/domain/src/index.js';
import { headChars, Ledger, type Bill } from './bill.js';
import { rawMessage, withoutReasoning } from './rivals/raw-history.js';
import type { Head, Rival, Setting } from './rivals/rival.js';

/** A recorded session as applications hold it: the head of its requests, and the messages before each call. */
export type RawSession = { head: Head; calls: NeutralMessage[][] };

export function rawSession(transcript: Transcript, policy: EffectivePolicy): RawSession {
  const { steps, manifestAt } = recordedSession(transcript, policy, RECORDED_MODEL);
  const { system_prompt: system, tools } = manifestAt(null);
  const messages: NeutralMessage[] = [];
  const calls: NeutralMessage[][] = [];
  for (const step of steps) {
    if (step.kind === 'call') calls.push([...messages]);
    else {
      const message = rawMessage(step.event as unknown as Pick<StoredEvent, 'type' | 'data'>);
      if (message !== null) messages.push(withoutReasoning(message));
    }
  }
  return { head: { system, tools }, calls };
}

/** `lost`: calls whose summary was never made. */
export type RivalRun = { rival: string; setting: string; bill: Bill; lost: number; keepsBudget: boolean };

/** Each setting of a rival on a session. */
export async function playRival(
  rival: Rival,
  session: RawSession,
  budget: number,
  summaryChars: number,
): Promise<RivalRun[]> {
  const { head, calls } = session;
  const runs: RivalRun[] = [];
  for (const setting of rival.settings({ chars: budget, headChars: headChars(head), summaryChars })) {
    const { bill, lost } = await playSetting(setting, head, calls);
    runs.push({ rival: rival.label, setting: setting.label, bill, lost, keepsBudget: bill.largest <= budget });
  }
  return runs;
}

async function playSetting(
  setting: Setting,
  head: Head,
  calls: readonly NeutralMessage[][],
): Promise<{ bill: Bill; lost: number }> {
  const ledger = new Ledger();
  let lost = 0;
  const session = setting.start(head);
  for (const history of calls) {
    const { messages, charged, isLost } = await session.next(history);
    if (isLost === true) lost += 1;
    const request: NeutralRequest = { ...head, messages: [...messages] };
    ledger.add(request, charged);
  }
  return { bill: ledger.bill, lost };
}

/**
 * The cheapest setting that keeps to the budget; of a rival that is set by what it keeps (its settings from most to least),
 * the one that keeps most. Where none keeps to it, the one that comes nearest.
 */
export function best(rival: Rival, runs: readonly RivalRun[], price: 'cached' | 'plain'): RivalRun | null {
  const comparable = runs.filter(({ lost }) => lost === 0);
  const fitting = comparable.filter(({ keepsBudget }) => keepsBudget);
  if (fitting.length === 0) return comparable.toSorted((a, b) => a.bill.largest - b.bill.largest)[0] ?? null;
  return (rival.keepsMost ? fitting : fitting.toSorted((a, b) => a.bill[price] - b.bill[price]))[0] ?? null;
}
