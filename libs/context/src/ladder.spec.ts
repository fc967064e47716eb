import { effectivePolicy } from './policy/index.js';
import { sessionUnder, testManifest, testModel, windowPolicy, Session } from './testing/session.js';

const policy = windowPolicy({
  soft_cap_chars: 8_000,
  hard_cap_chars: 10_000,
  min_tail_turns: 2,
  observation_window: 10,
});
const costs = { usage: null, cost_usd: null };

/** A stream that is over the hard cap, with turns that can be summarised and ones that cannot. */
function overCap(): Session {
  const session = sessionUnder(effectivePolicy({ step: { window: 'off' } }, false)).user('the task');
  for (let n = 0; n < 6; n += 1) session.turn(`step ${n}`, [`${n} `.repeat(1_500)]);
  return session.follow(policy, testModel());
}

describe('over the hard cap', () => {
  it('the step waits for a summary, and for one that is under way', () => {
    const session = overCap();
    const build = session.build();
    expect(build).toMatchObject({ kind: 'wait', next: 'compaction', reason: 'over_hard_cap', openCompactionId: null });
    if (build.kind !== 'wait' || build.proposal === null) throw new Error('no proposal');
    const id = session.requested(build.proposal);
    expect(session.build()).toMatchObject({ kind: 'wait', next: 'compaction', proposal: null, openCompactionId: id });
    session.compacted(id, build.proposal, 'a summary');
    const after = session.build();
    expect(after.kind).toBe('ready');
    expect(after.kind === 'ready' && after.chars).toBeLessThanOrEqual(build.proposal.projectedChars);
  });

  it('the step makes the extractive summary itself once the wait has expired, or where it may not wait', () => {
    const session = overCap();
    expect(session.build('no_wait')).toMatchObject({
      kind: 'wait',
      next: 'extractive',
      proposal: { reason: 'ladder' },
    });
    const build = session.build();
    if (build.kind !== 'wait' || build.proposal === null) throw new Error('no proposal');
    const id = session.requested(build.proposal);
    session.append('CompactionWaitExpired', { compaction_id: id, waited_ms: 120_000 });
    const ladder = session.build();
    expect(ladder).toMatchObject({ kind: 'wait', next: 'extractive', proposal: { range: build.proposal.range } });
    if (ladder.kind !== 'wait' || ladder.proposal === null) throw new Error('no proposal');
    session.compacted(session.requested(ladder.proposal), ladder.proposal, session.extractive(ladder.proposal));
    expect(session.build().kind).toBe('ready');
    session.compacted(id, build.proposal, 'the model was late', false);
    expect(session.ready().frontier.compaction_id).toBe(id);
  });

  it('a compaction that failed is not awaited again for the same range (rows 42, 48, 78)', () => {
    const session = overCap();
    const build = session.build();
    if (build.kind !== 'wait' || build.proposal === null) throw new Error('no proposal');
    session.append('CompactionFailed', {
      compaction_id: session.requested(build.proposal),
      class: 'x',
      detail: '',
      attempts: 3,
      ...costs,
    });
    const next = session.build();
    expect(next).toMatchObject({ kind: 'wait', next: 'extractive' });
    if (next.kind !== 'wait' || next.proposal === null) throw new Error('no proposal');
    session.append('CompactionSkipped', {
      compaction_id: session.requested(next.proposal),
      reason: 'not_smaller',
      bytes_saved: 0,
      chars_before: 1,
      chars_after: 1,
      ...costs,
    });
    expect(session.build()).toMatchObject({ kind: 'ready' });
  });

  it('long observations are shortened to head and tail, largest first and only as far as needed (row 44)', () => {
    const session = sessionUnder(effectivePolicy({ step: { window: 'off' } }, false)).user('the task');
    session.turn('', [`HEAD${'📥'.repeat(7_900)}TAIL`, 'x'.repeat(2_500)]).follow(policy, testModel());
    const build = session.ready();
    const [large, small] = build.messages.filter(({ message }) => message.role === 'tool');
    expect(large).toMatchObject({ state: 'shortened' });
    expect(JSON.stringify(large?.message.content)).toMatch(/HEAD.*chars left out.*TAIL/u);
    expect(large?.chars).toBeLessThan(1_700);
    expect(small?.state).toBe('whole');
    expect(build.chars).toBeLessThanOrEqual(10_000);
    session.started(build).append('LlmCallCompleted', {
      call_no: 2,
      try: 1,
      model: 'test:model',
      message: { content: [{ type: 'text', text: 'ok' }], tool_calls: [] },
      finish_reason: 'stop',
      usage: null,
      cost_usd: null,
      wire_hash: null,
    });
    session.user('next', 'user');
    expect(session.ready().messages.find(({ entries }) => entries[0] === 3)?.state).toBe('shortened');
  });

  it('what was cut to the cap of one observation is cut further where that is not enough', () => {
    const narrow = windowPolicy({ ...policy.window, soft_cap_chars: 9_000, hard_cap_chars: 10_000, min_tail_turns: 8 });
    const session = sessionUnder(narrow).user('the task');
    for (let n = 0; n < 5; n += 1) session.turn('', [`HEAD${n} ${'w '.repeat(6_000)}TAIL${n}`]);
    const build = session.ready();
    expect(build.chars).toBeLessThanOrEqual(10_000);
    const sizes = build.messages.flatMap(({ message, chars, state }) =>
      message.role === 'tool' ? [{ chars, state }] : [],
    );
    expect(sizes.every(({ state }) => state === 'shortened')).toBe(true);
    expect(Math.min(...sizes.map(({ chars }) => chars))).toBeLessThan(1_800);
  });

  it('is a typed outcome with the five largest parts when nothing helps (rows 45, 82)', () => {
    const session = sessionUnder(policy).user('u'.repeat(20_000));
    const build = session.build();
    expect(build).toMatchObject({ kind: 'over_hard_cap', size: 20_015, cap: 10_000 });
    if (build.kind !== 'over_hard_cap') throw new Error(build.kind);
    expect(build.contributors).toEqual([
      { kind: 'user', entry: 1, name: null, chars: 20_000 },
      { kind: 'system_prompt', entry: null, name: null, chars: 15 },
    ]);
    expect(build.knob).toContain('context.window.hard_cap_chars');
  });

  it('counts system prompt and tool schemas (row 88)', () => {
    const tools = [{ name: 'big', description: 'd', parameters: { description: 't'.repeat(40_000) } }];
    const session = new Session(testManifest(policy, testModel(), { tools }), policy).user('hello');
    const build = session.build();
    expect(build.kind === 'over_hard_cap' && build.contributors[0]?.kind).toBe('tools');
  });
});

describe("the model's window", () => {
  const windowed = (facts: { windowTokens: number; maxOutputTokens: number }) => sessionUnder(windowPolicy({}), facts);

  it('less max_output_tokens bounds the request, and the soft cap scales with it (row 96)', () => {
    const session = windowed({ windowTokens: 3_000, maxOutputTokens: 1_000 }).user('word '.repeat(300));
    const { report, chars, tokens } = session.ready();
    const hard = Number(report['hard_cap']);
    expect(hard / chars).toBeCloseTo(2_000 / tokens, 1);
    expect(Number(report['soft_cap'])).toBe(Math.floor((400_000 * hard) / 600_000));
  });

  it('refuses what does not fit, naming the window as the knob (row 81)', () => {
    const build = windowed({ windowTokens: 300, maxOutputTokens: 100 }).user('word '.repeat(1_000)).build();
    expect(build.kind === 'over_hard_cap' && build.knob).toContain('larger window');
  });

  it('is believed to be smaller once the provider refused a request as too long', () => {
    const session = sessionUnder(windowPolicy({})).user('the task');
    for (let n = 0; n < 4; n += 1) session.turn('', ['y'.repeat(9_000)]);
    const first = session.ready();
    session.started(first).append('LlmCallFailed', {
      call_no: 5,
      try: 1,
      model: 'test:model',
      class: 'context_overflow',
      detail: '',
      retryable: true,
      retry_after_ms: null,
      ...costs,
    });
    const second = session.build('no_wait');
    expect(second.kind === 'ready' && second.chars).toBeLessThanOrEqual(Math.floor(first.chars * 0.85));
  });
});
