import fc from 'fast-check';
import type { JsonObject } from '../json.js';

/** What a drawn step is made of; places of other steps are numbers, so that smaller drafts are sound too. */
type Draft = {
  kind: 'agent' | 'transform' | 'wait_for' | 'approval' | 'sleep' | 'pipeline' | 'for_each' | 'repeat';
  after: readonly number[];
  joinsAny: boolean;
  when: 'none' | 'true' | 'false' | 'succeeded' | 'broken';
  onError: 'fail' | 'continue' | 'goto';
  /** Elements, and how many at once; rounds at most. */
  items: number;
  maxParallel: number;
  onItemFailure: 'fail' | 'continue' | 'collect';
  isOver: boolean;
  body: readonly Draft[];
};

const WAITS = ['wait_for', 'approval', 'sleep'] as const;

const draft = (kinds: fc.Arbitrary<Draft['kind']>, body: fc.Arbitrary<readonly Draft[]>): fc.Arbitrary<Draft> =>
  fc.record({
    kind: kinds,
    after: fc.array(fc.nat(3), { maxLength: 2 }),
    joinsAny: fc.boolean(),
    when: fc.oneof(
      { weight: 6, arbitrary: fc.constant('none' as const) },
      fc.constantFrom('true' as const, 'false' as const, 'succeeded' as const, 'broken' as const),
    ),
    onError: fc.oneof(
      { weight: 3, arbitrary: fc.constant('fail' as const) },
      fc.constantFrom('continue' as const, 'goto' as const),
    ),
    items: fc.nat(3),
    maxParallel: fc.integer({ min: 1, max: 3 }),
    onItemFailure: fc.constantFrom('fail' as const, 'continue' as const, 'collect' as const),
    isOver: fc.boolean(),
    body,
  });

const leafKinds = fc.oneof(
  { weight: 5, arbitrary: fc.constant('agent' as const) },
  fc.constantFrom('transform' as const, ...WAITS, 'pipeline' as const),
);
const inner = fc.array(draft(leafKinds, fc.constant([])), { minLength: 1, maxLength: 2 });
const outer = draft(
  fc.oneof(
    { weight: 3, arbitrary: leafKinds },
    { weight: 1, arbitrary: fc.constantFrom('for_each' as const, 'repeat' as const) },
  ),
  inner,
);

/**
 * Documents with every way in which steps depend on each other: `depends_on`, `join`, `when`, `on_error`, loops, waits,
 * child runs of the pipeline `child`. Agents are called `a`; what they answer is the test's. Retries: two attempts.
 */
export const randomPipeline: fc.Arbitrary<JsonObject> = fc
  .array(outer, { minLength: 1, maxLength: 5 })
  .map((drafts) => ({
    name: 'drawn',
    defaults: { model: 'scripted:drawn', retry: { max_attempts: 2, backoff: '1ms', jitter: false } },
    agents: { a: {} },
    steps: stepsOf(drafts, 's'),
  }));

const stepsOf = (drafts: readonly Draft[], prefix: string): JsonObject[] =>
  drafts.map((_, at) => stepOf(drafts, prefix, at));

function stepOf(drafts: readonly Draft[], prefix: string, at: number): JsonObject {
  const own = drafts[at];
  if (own === undefined) throw new Error(`no draft ${at}`);
  const id = `${prefix}${at}`;
  const after = [...new Set(own.after.filter((place) => place < at))].map((place) => `${prefix}${place}`);
  const later = at + 1 < drafts.length ? `${prefix}${at + 1}` : null;
  return {
    id,
    ...(after.length > 0 ? { depends_on: after, ...(own.joinsAny ? { join: 'any' } : {}) } : {}),
    ...whenOf(own, after),
    ...onErrorOf(own, later),
    ...workOf(own, id),
  };
}

function whenOf({ when }: Draft, [first]: readonly string[]): JsonObject {
  switch (when) {
    case 'none':
      return {};
    case 'true':
    case 'false':
      return { when };
    case 'succeeded':
      return first === undefined ? {} : { when: `steps.${first}.status == "succeeded"` };
    case 'broken':
      return { when: '1 / 0 == 1' };
  }
}

function onErrorOf({ onError }: Draft, later: string | null): JsonObject {
  if (onError === 'continue') return { on_error: 'continue' };
  return onError === 'goto' && later !== null ? { on_error: { goto: later } } : {};
}

function workOf(own: Draft, id: string): JsonObject {
  switch (own.kind) {
    case 'agent':
      return { agent: 'a', task: 'Go.' };
    case 'transform':
      return { transform: id };
    case 'wait_for':
      return { wait_for: { signal: 'go', key: '${run.id}', timeout: '1h' } };
    case 'approval':
      return { approval: { prompt: 'Well?', timeout: '1h', on_timeout: 'fail' } };
    case 'sleep':
      return { sleep: '1h' };
    case 'pipeline':
      return { pipeline: 'child' };
    case 'for_each':
      return {
        for_each: Array.from({ length: own.items }, (_, item) => item),
        max_parallel: own.maxParallel,
        on_item_failure: own.onItemFailure,
        do: { steps: stepsOf(own.body, `${id}b`) },
      };
    case 'repeat':
      return {
        repeat: true,
        max_iterations: own.maxParallel,
        until: String(own.isOver),
        do: { steps: stepsOf(own.body, `${id}b`) },
      };
  }
}
