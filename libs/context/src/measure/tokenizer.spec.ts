import { readdirSync, readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { canonicalJson } from '#libs/domain';
import { importTranscript } from '../import-transcript.js';
import type { NeutralMessage, NeutralRequest } from '../neutral.js';
import { Session, sessionUnder, testManifest, testModel, windowPolicy } from '../testing/session.js';
import { transcriptSchema, type Transcript } from '../transcript/index.js';
import { estimateTokens } from './estimate-tokens.js';
import { STANDARD_WEIGHTS } from './part-chars.js';

/** Against a real vocabulary: o200k, by `gpt-tokenizer`. */
const fixtures = new URL('../../../../test/fixtures/', import.meta.url);
const text = (name: string): string => readFileSync(new URL(`texts/${name}.txt`, fixtures), 'utf8');
const realTokens = (of: string): number => countTokens(of, { disallowedSpecial: new Set() });

/** A minimal linear congruential generator: the same sample in each run. */
function drawn(count: number, draw: (random: number) => string): string {
  let state = 7;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return draw(state / 2_147_483_648);
  }).join('');
}

const EMOJI =
  '😀 😂 🤣 😊 😍 🙏 👍 🔥 🎉 ✅ ❌ ⚠️ 🚀 💡 📝 📁 🔍 ✨ 🐛 🔧 📦 🎯 👀 💪 🙌 🤔 😅 😭 ❤️ 💯 👉 👇 ⭐️ 🟢 🔴 🟡 📊 📈 🗑️ ⏳ 👩‍👩‍👧 👨‍💻 👍🏽 🇩🇪 🦊 🧭 🪐 🥁'.split(
    ' ',
  );
const sources = ['../build-context.ts', '../propose-compaction.ts', '../shape/lint.ts'];
const samples: readonly (readonly [string, string])[] = [
  ['English', text('english')],
  ['Russian', text('russian')],
  ['Japanese', text('japanese')],
  ['Chinese', text('chinese')],
  ['Arabic', text('arabic')],
  ['emoji', drawn(4_000, (random) => `${EMOJI[Math.floor(random * EMOJI.length)] ?? ''}${random < 0.2 ? ' ' : ''}`)],
  [
    'base64',
    Buffer.from(
      drawn(6_000, (random) => String.fromCharCode(random * 256)),
      'latin1',
    ).toString('base64'),
  ],
  ['source code', sources.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n')],
];

/** Tokens of a request as sent: texts by the vocabulary, a few around each message and call, images and pages by weight. */
function requestTokens(request: NeutralRequest): number {
  const tools = request.tools.length === 0 ? 0 : realTokens(canonicalJson(request.tools));
  return request.messages.reduce(
    (sum, message) => sum + messageTokens(message),
    realTokens(request.system ?? '') + tools,
  );
}

const known = new WeakMap<NeutralMessage, number>();

function messageTokens(message: NeutralMessage): number {
  const found = known.get(message);
  if (found !== undefined) return found;
  const calls = message.role === 'assistant' ? message.tool_calls : [];
  const tokens =
    4 +
    message.content.reduce((sum, part) => sum + partTokens(part), 0) +
    calls.reduce((sum, call) => sum + 4 + realTokens(call.name) + realTokens(call.arguments), 0);
  known.set(message, tokens);
  return tokens;
}

function partTokens(part: NeutralMessage['content'][number]): number {
  switch (part.type) {
    case 'text':
      return realTokens(part.text);
    case 'thinking':
      return realTokens(part.text) + realTokens(part.signature ?? '');
    case 'redacted_thinking':
      return realTokens(part.data);
    case 'image':
      return STANDARD_WEIGHTS.imageTokens;
    case 'document':
      return STANDARD_WEIGHTS.pageTokens * (part.pages ?? 1);
    case 'other':
    case 'opaque':
      return realTokens(canonicalJson(part.raw));
  }
}

describe('the token estimate, before any usage is known', () => {
  it.each(samples)('is at most 15 % under a real tokenizer: %s', (_, sample) => {
    expect([...sample].length).toBeGreaterThanOrEqual(4_000);
    expect(estimateTokens(sample) / realTokens(sample)).toBeGreaterThanOrEqual(0.85);
  });

  it('does not take code, paths and identifiers for encoded data', () => {
    const path = 'packages/context/src/stages/shorten_arguments/'.repeat(20);
    expect(estimateTokens(path) / realTokens(path)).toBeLessThan(1.15);
  });
});

describe('the token estimate, corrected by the usage of the last call', () => {
  it.each(samples)('is within 10 %% of a real tokenizer in a conversation of %s', (_, sample) => {
    const session = sessionUnder(windowPolicy({}));
    const slice = Math.ceil(sample.length / 8);
    session.user(sample.slice(0, slice));
    for (let from = slice; from < sample.length; from += slice) {
      const build = session.ready();
      if (from > slice) expect(off(build.tokens, requestTokens(build.request))).toBeLessThanOrEqual(0.1);
      session.turn('', [sample.slice(from, from + slice)], { usage: requestTokens(build.request) });
    }
  });

  it('goes with the model: another vocabulary has another ratio', () => {
    const session = sessionUnder(windowPolicy({})).user(text('english').slice(0, 2_000));
    const build = session.ready();
    session.turn('', [text('english').slice(2_000, 4_000)], { usage: Math.round(1.4 * requestTokens(build.request)) });
    const next = session.ready();
    expect(off(next.tokens, 1.4 * requestTokens(next.request))).toBeLessThanOrEqual(0.1);
    const other = session.follow(session.policy, testModel({ id: 'test:other' })).ready();
    expect(off(other.tokens, requestTokens(other.request))).toBeLessThanOrEqual(0.15);
  });
});

const off = (estimate: number, real: number): number => Math.abs(estimate / real - 1);

const transcripts = readdirSync(new URL('transcripts/', fixtures)).filter(
  (file) => file.endsWith('.json') && file !== 'manifest.json',
);

describe('the token estimate of recorded sessions', () => {
  it.each(transcripts)(
    'is within 10 %% of a real tokenizer once a call told its usage: %s',
    (file) => {
      const transcript = transcriptSchema.parse(
        JSON.parse(readFileSync(new URL(`transcripts/${file}`, fixtures), 'utf8')),
      );
      const calls = playedWithUsage(transcript);
      expect(calls.length).toBeGreaterThan(1);
      expect(calls.filter(({ calibrated, estimate, real }) => !calibrated && estimate / real < 0.85)).toEqual([]);
      expect(calls.filter(({ calibrated, estimate, real }) => calibrated && off(estimate, real) > 0.1)).toEqual([]);
    },
    120_000,
  );
});

type Counted = { call: number; calibrated: boolean; estimate: number; real: number };

/** The session under a soft cap of 60,000, each call's real tokens reported as its usage. */
function playedWithUsage(transcript: Transcript): Counted[] {
  const policy = windowPolicy({ soft_cap_chars: 60_000, hard_cap_chars: 120_000 });
  const { plan, steps } = importTranscript(transcript, { origin: 'task', model: 'test:model', callNumbers: 'import' });
  const tools = plan.toolNames.map((name) => ({ name, description: '', parameters: {} }));
  const session = new Session(testManifest(policy, testModel(), { system_prompt: plan.systemPrompt, tools }), policy);
  const counted: Counted[] = [];
  const calibrated = new Set<string>();
  let real = 0;
  for (const step of steps) {
    if (step.kind === 'call') {
      session.follow(policy, testModel({ id: step.model }));
      const build = session.ready();
      real = requestTokens(build.request);
      counted.push({ call: step.call.call, calibrated: calibrated.has(step.model), estimate: build.tokens, real });
      session.started(build);
    } else if (step.event.type === 'LlmCallCompleted') {
      const usage = { input_tokens: real, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 1 };
      session.append('LlmCallCompleted', { ...step.event.data, usage } as never);
      calibrated.add(step.event.data.model);
    } else session.append(step.event.type, step.event.data as never);
  }
  return counted;
}
