import { compareRequests } from '../common-prefix.js';
import { importTranscript } from '../import-transcript.js';
import type { Manifest, NeutralRequest } from '../neutral.js';
import type { EffectivePolicy } from '../policy/index.js';
import type { Transcript } from '../transcript/index.js';
import { Session, testManifest } from './session.js';
import { lint } from '../shape/index.js';

export type Measures = {
  calls: number;
  chars: number;
  charsUnmanaged: number;
  cost: number;
  costUnmanaged: number;
  compactions: number;
  masked: number;
  overHardCap: number;
  lint: number;
  maxBuildMs: number;
  maxChars: number;
};

/** A recorded session under a policy: sizes and costs in char units, as api.md defines them for `weir preview`. */
export function measureSession(transcript: Transcript, policy: EffectivePolicy, model: Manifest['model']): Measures {
  const { plan, steps } = importTranscript(transcript, { origin: 'task', model: model.id, callNumbers: 'run' });
  const tools = plan.toolNames.map((name) => ({ name, description: '', parameters: {} }));
  const manifest = testManifest(policy, model, { system_prompt: plan.systemPrompt, tools });
  const session = new Session(manifest, policy);
  const sums: Measures = {
    calls: 0,
    chars: 0,
    charsUnmanaged: 0,
    cost: 0,
    costUnmanaged: 0,
    compactions: 0,
    masked: 0,
    overHardCap: 0,
    lint: 0,
    maxBuildMs: 0,
    maxChars: 0,
  };
  const maskedEntries = new Set<number>();
  let last: NeutralRequest | null = null;
  let lastUnmanaged: NeutralRequest | null = null;
  const price = (before: NeutralRequest | null, now: NeutralRequest, chars: number): number => {
    const common = before === null ? 0 : compareRequests(before, now, model.weights).commonPrefixChars;
    return model.cacheReadRatio * common + model.cacheWriteRatio * (chars - common);
  };
  for (const step of steps) {
    if (step.kind === 'event') {
      const { type, data } = step.event;
      session.append(type, data as never, `run_${step.event.run}`);
      continue;
    }
    const before = performance.now();
    const build = session.settled();
    sums.maxBuildMs = Math.max(sums.maxBuildMs, performance.now() - before);
    const unmanaged = session.build('unmanaged');
    if (unmanaged.kind !== 'ready') throw new Error('unmanaged is always ready');
    sums.calls += 1;
    sums.charsUnmanaged += unmanaged.chars;
    sums.costUnmanaged += price(lastUnmanaged, unmanaged.request, unmanaged.chars);
    lastUnmanaged = unmanaged.request;
    if (build.kind === 'over_hard_cap') {
      sums.overHardCap += 1;
      continue;
    }
    sums.chars += build.chars;
    sums.maxChars = Math.max(sums.maxChars, build.chars);
    sums.cost += price(last, build.request, build.chars);
    sums.lint += lint(build.request, model.apiFormat).length;
    last = build.request;
    for (const message of build.messages)
      if (message.state === 'masked') for (const entry of message.entries) maskedEntries.add(entry);
    session.started(build);
  }
  sums.masked = maskedEntries.size;
  sums.compactions = session.events.filter((event) => event.type === 'ContextCompacted').length;
  return sums;
}
