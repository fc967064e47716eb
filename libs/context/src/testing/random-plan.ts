import fc from 'fast-check';
import type { AssistantPart, Content, ContentPart } from '#libs/domain';
import type { ApiFormat, ModelFacts } from '../neutral.js';
import { effectivePolicy, type EffectivePolicy } from '../policy/index.js';
import { wellFormed } from '../shape/index.js';
import { reasoningParts } from './random-stream.js';
import { testModel } from './session.js';

/** One thing that happens around the builds of a session. */
export type Action =
  | {
      kind: 'call';
      answer: AssistantPart[];
      calls: { id: string; arguments: string; results: readonly Outcome[] }[];
      finish: 'stop' | 'length' | 'content_filter';
      usage: number | null;
      settle: 'compact' | 'fail' | 'expire' | 'skip';
    }
  | { kind: 'failedCall'; overflow: boolean }
  | { kind: 'user'; content: Content; injected: boolean }
  | { kind: 'documents'; content: Content }
  | { kind: 'memory'; value: string }
  | { kind: 'run'; mode: 'inherit' | 'fresh'; task: Content; cut: 'cancelled' | 'failed' | null }
  | { kind: 'late'; back: number; content: Content }
  | { kind: 'compaction'; end: 'compact' | 'skip' | 'discard' | 'fail' | 'rollBack' | 'foreign' | 'twice' }
  | { kind: 'policy' }
  /** A run beside this one writes to the sub-stream: only where views are fresh. */
  | { kind: 'parallel'; content: Content };
export type Outcome = { status: 'ok' | 'error' | 'denied' | 'cancelled' | 'pending'; content: Content };

export type Plan = {
  policies: [EffectivePolicy, EffectivePolicy];
  models: [ModelFacts, ModelFacts];
  mode: 'inherit' | 'fresh';
  task: Content;
  actions: Action[];
};

const words = [
  'path/to/file.ts',
  'ошибка',
  '第二段',
  '👨‍👩‍👧',
  'x = 1;',
  'a\0b',
  '\ud83d',
  '`` ``` ````',
  '"quoted"',
  '\n\nline',
  'café',
];
/** Long texts from little randomness: what matters is their size and where a cut may fall. */
const text = fc
  .tuple(fc.constantFrom(...words), fc.constantFrom(0, 1, 1, 2, 4, 9, 30, 90, 260))
  .map(([word, times]) => `${word} `.repeat(times));
const spoken = text.map((value) => (value.trim() === '' ? 'hello' : value));
const otherPart: fc.Arbitrary<ContentPart> = fc.constantFrom<ContentPart>(
  { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' },
  { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=', name: 'scan.png' },
  { type: 'document', media_type: 'application/pdf', data: 'JVBERi0=', name: 'a.pdf', pages: 2 },
  { type: 'other', raw: { type: 'widget', s: 'a\ud83d' } },
);
const withParts = (of: fc.Arbitrary<string>): fc.Arbitrary<Content> =>
  fc.oneof(
    { weight: 9, arbitrary: of },
    {
      weight: 1,
      arbitrary: fc.tuple(of, otherPart).map(([value, part]): ContentPart[] => [{ type: 'text', text: value }, part]),
    },
  );

/** Accepted input is well-formed and not empty (law C3). */
const task: fc.Arbitrary<Content> = withParts(fc.constantFrom('do it', 'сделай', 'fix `a` 👩‍💻 now', 'x'.repeat(300)));
const answerPart: fc.Arbitrary<AssistantPart> = fc.oneof(
  { weight: 5, arbitrary: text.map((value): AssistantPart => ({ type: 'text', text: value })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<AssistantPart>(
      { type: 'thinking', text: 'let me see '.repeat(8), signature: 'c2ln' },
      { type: 'thinking', text: 'unsigned' },
      { type: 'redacted_thinking', data: 'AAAA' },
      ...reasoningParts,
    ),
  },
);
const outcome: fc.Arbitrary<Outcome> = fc.record({
  status: fc.constantFrom('ok', 'ok', 'ok', 'error', 'denied', 'cancelled', 'pending'),
  content: withParts(text),
});
const calls = fc.array(
  fc.record({
    id: fc.constantFrom('call_0', 'call_1', 'x:y/z', ''),
    arguments: fc.oneof(
      fc.constantFrom('{"path":"a.ts"}', '', '[1]', '{"q":', '{"s":"\\ud83d"}'),
      text.map((value) => JSON.stringify({ code: value, n: 1 })),
    ),
    /** Usually one final result; none: the call is never answered; more: repeats and a final one behind a pending one. */
    results: fc.oneof(
      { weight: 8, arbitrary: fc.tuple(outcome) },
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.tuple(outcome, outcome) },
    ),
  }),
  { maxLength: 3 },
);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      answer: fc.array(answerPart, { maxLength: 2 }),
      calls,
      finish: fc.constantFrom(
        'stop' as const,
        'stop' as const,
        'stop' as const,
        'length' as const,
        'content_filter' as const,
      ),
      usage: fc.option(fc.integer({ min: 1, max: 5_000 }), { freq: 3 }),
      settle: fc.constantFrom(
        'compact' as const,
        'compact' as const,
        'fail' as const,
        'expire' as const,
        'skip' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('failedCall' as const), overflow: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('user' as const),
      content: withParts(spoken.map(wellFormed)),
      injected: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('documents' as const), content: withParts(text) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('memory' as const), value: text }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      mode: fc.constantFrom('inherit' as const, 'inherit' as const, 'fresh' as const),
      task,
      cut: fc.constantFrom('cancelled' as const, 'failed' as const, null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('late' as const), back: fc.nat({ max: 6 }), content: withParts(text) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('compaction' as const),
      end: fc.constantFrom<Extract<Action, { kind: 'compaction' }>['end']>(
        'compact',
        'compact',
        'compact',
        'skip',
        'discard',
        'fail',
        'rollBack',
        'foreign',
        'twice',
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('policy' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('parallel' as const), content: withParts(text) }) },
);

/** Beside a window or instead of it, alone and together. */
const budget = fc.option(
  fc.record({
    max_tokens: fc.option(fc.constantFrom(200, 600, 1_500, 4_000), { freq: 3 }),
    max_context_items: fc.option(fc.constantFrom(3, 6, 12, 25), { freq: 2 }),
    keep_recent_turns: fc.nat({ max: 3 }),
  }),
  { freq: 2 },
);
const blocks = fc.option(
  fc
    .record({
      window_width_tokens: fc.option(fc.constantFrom(300, 900, 2_500, 6_000), { freq: 5 }),
      compaction_trigger_ratio: fc.constantFrom(0.3, 0.57, 0.8, 1),
      compaction_target_ratio: fc.constantFrom(0.1, 0.29, 0.5, 0.79),
      keep_last_blocks: fc.constantFrom(1, 2, 5),
    })
    .filter((drawn) => drawn.compaction_target_ratio < drawn.compaction_trigger_ratio),
  { freq: 2 },
);

const policy: fc.Arbitrary<EffectivePolicy> = fc
  .record({
    soft: fc.constantFrom(1_200, 2_500, 6_000, 400_000),
    hard: fc.constantFrom(1, 1.5, 3),
    observation_window: fc.nat({ max: 4 }),
    min_tail_turns: fc.nat({ max: 3 }),
    forget_after_turns: fc.option(fc.nat({ max: 6 }), { freq: 2 }),
    mask_batch_turns: fc.constantFrom('auto' as const, 'auto' as const, 1, 2, 3),
    compaction: fc.constantFrom('async' as const, 'blocking' as const),
    placement: fc.constantFrom('inline' as const, 'before_tail' as const),
    off: fc.constantFrom(false, false, false, false, true),
    budget,
    blocks,
  })
  .map(({ soft, hard, compaction, placement, off, budget: drawnBudget, blocks: drawnBlocks, ...window }) =>
    effectivePolicy(
      {
        step: {
          window: off ? 'off' : { ...window, soft_cap_chars: soft, hard_cap_chars: Math.floor(soft * hard) },
          budget: drawnBudget ?? 'off',
          blocks: drawnBlocks ?? 'off',
          compaction: { mode: compaction },
          memory: { placement },
        },
      },
      false,
    ),
  );

const model = (apiFormat: ApiFormat): fc.Arbitrary<ModelFacts> =>
  fc
    .record({
      promptCaching: fc.boolean(),
      images: fc.boolean(),
      windowTokens: fc.constantFrom(null, null, null, 700, 4_000),
      id: fc.constantFrom('test:model', 'test:other'),
    })
    .map((facts) => testModel({ ...facts, apiFormat, maxOutputTokens: facts.windowTokens === null ? null : 200 }));

/** Sessions with crashes, cancels, retries, repeated ids, parallel calls, images, reasoning, several runs, cutoffs and compactions. */
export const randomPlan = (apiFormat: ApiFormat, maxLength = 16): fc.Arbitrary<Plan> =>
  fc.record({
    policies: fc.tuple(policy, policy),
    models: fc.tuple(model(apiFormat), model(apiFormat)),
    mode: fc.constantFrom('inherit' as const, 'fresh' as const),
    task,
    actions: fc.array(action, { minLength: 1, maxLength, size: 'max' }),
  });
