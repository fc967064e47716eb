import fc from 'fast-check';
import {
  lint,
  type ApiFormat,
  type BuildResult,
  type NeutralMessage,
  type NeutralRequest,
} from '../../libs/context/src/index.js';
import { playPlan } from '../../libs/context/src/testing/play-plan.js';
import { randomPlan, type Action } from '../../libs/context/src/testing/random-plan.js';
import type { StoredEvent } from '../../libs/domain/src/index.js';
import { headChars } from './bill.js';
import { RIVALS } from './rivals/all.js';
import { asSent, rawMessage } from './rivals/raw-history.js';
import { charsOf } from './rivals/sizes.js';
import { unmanaged } from './rivals/sliding-window.js';

/** `invalid`: requests in which the linter finds something. `ofValid`: of them, those whose history itself was valid. */
export type FuzzRow = {
  label: string;
  invalid: number;
  ofValid: number;
  typed: number;
  rules: ReadonlyMap<string, number>;
};
export type Fuzz = { format: ApiFormat; streams: number; valid: number; rows: readonly FuzzRow[] };

const SEED = 20_261_130;
/** A rival must act: it may send this share of the history. */
const BUDGET_SHARE = 0.6;
/** A further run at the end, and its first call. */
const NEXT_RUN: Action[] = [
  { kind: 'run', mode: 'inherit', task: 'go on', cut: null },
  { kind: 'call', answer: [], calls: [], finish: 'stop', usage: null, settle: 'compact' },
];
/** Weir with the policy that is drawn with each stream, and what is compared with it. */
const WEIR = 'Weir';

/** The request at the end of random streams (crashes, cancels, repeated ids, parallel calls, several runs), one for each. */
export async function fuzzRequests(format: ApiFormat, streams: number): Promise<Fuzz> {
  const tally = new Tally();
  let valid = 0;
  for (const plan of fc.sample(randomPlan(format), { seed: SEED, numRuns: streams })) {
    // Some drawn policies have caps that no request can keep to: then there is none, but a typed outcome.
    const last: { build: BuildResult | null; events: readonly StoredEvent[] } = { build: null, events: [] };
    const session = playPlan({ ...plan, mode: 'inherit', actions: [...plan.actions, ...NEXT_RUN] }, (observed) => {
      last.build = observed.build;
      last.events = [...observed.session.events];
    });
    const history = last.events.flatMap((event) => rawMessage(event) ?? []).map(asSent);
    const head = { system: session.manifest.system_prompt, tools: session.manifest.tools };
    const isValid = lint({ ...head, messages: history }, format).length === 0;
    if (isValid) valid += 1;
    tally.add(WEIR, last.build?.kind === 'ready' ? last.build.request : null, format, isValid);
    for (const { label, messages } of await rivalRequests(history, head))
      tally.add(label, { ...head, messages: [...messages] }, format, isValid);
  }
  return { format, streams, valid, rows: tally.rows() };
}

async function rivalRequests(
  history: readonly NeutralMessage[],
  head: Pick<NeutralRequest, 'system' | 'tools'>,
): Promise<{ label: string; messages: readonly NeutralMessage[] }[]> {
  const chars = headChars(head) + Math.ceil(BUDGET_SHARE * charsOf(history));
  const budget = { chars, headChars: headChars(head), summaryChars: 200 };
  const requests: { label: string; messages: readonly NeutralMessage[] }[] = [];
  for (const rival of [unmanaged, ...RIVALS]) {
    const setting = rival.settings(budget).find(({ forFuzz }) => forFuzz === true);
    if (setting === undefined) throw new TypeError(`${rival.label} has no setting for fuzzed streams`);
    const { messages } = await setting.start(head).next(history);
    requests.push({ label: rival.label, messages });
  }
  return requests;
}

class Tally {
  private readonly sums = new Map<
    string,
    { invalid: number; ofValid: number; typed: number; rules: Map<string, number> }
  >();

  /** Null: no request, but a typed outcome. */
  add(label: string, request: NeutralRequest | null, format: ApiFormat, isValid: boolean): void {
    const sum = this.sums.get(label) ?? { invalid: 0, ofValid: 0, typed: 0, rules: new Map<string, number>() };
    this.sums.set(label, sum);
    if (request === null) {
      sum.typed += 1;
      return;
    }
    const rules = new Set(lint(request, format).map(({ rule }) => rule));
    for (const rule of rules) sum.rules.set(rule, (sum.rules.get(rule) ?? 0) + 1);
    if (rules.size === 0) return;
    sum.invalid += 1;
    if (isValid) sum.ofValid += 1;
  }

  rows(): FuzzRow[] {
    return [...this.sums].map(([label, sum]) => ({ label, ...sum }));
  }
}
