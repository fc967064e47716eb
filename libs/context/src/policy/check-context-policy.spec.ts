import { checkContextPolicy } from './check-context-policy.js';

const found = (value: unknown): string[] =>
  checkContextPolicy(value, 'step').map(({ path, code }) => `${path} ${code}`);
const detail = (value: unknown): string => checkContextPolicy(value, 'step')[0]?.detail ?? 'accepted';

describe('a context block', () => {
  it('is accepted whole, in part, and empty', () => {
    expect(found({})).toEqual([]);
    expect(
      found({ mode: 'fresh', preset: 'chat', window: { observation_window: 0 }, memory: { placement: 'before_tail' } }),
    ).toEqual([]);
    expect(found({ window: 'off', budget: { max_tokens: 1000, keep_recent_turns: 0 }, blocks: 'off' })).toEqual([]);
    expect(
      found({ blocks: { compaction_trigger_ratio: 1, compaction_target_ratio: 0.99, keep_last_blocks: 100 } }),
    ).toEqual([]);
    expect(found({ window: { forget_after_turns: null, mask_batch_turns: 10 } })).toEqual([]);
  });

  it('is refused with the path of every unknown key', () => {
    expect(found({ windows: {}, window: { soft_cap: 1 } })).toEqual([
      'window.soft_cap unknown_key',
      'windows unknown_key',
    ]);
  });

  it('says which section knows a key that was put elsewhere', () => {
    expect(detail({ compaction: { compaction_trigger_ratio: 0.8 } })).toContain('use context.blocks');
    expect(detail({ compaction: { keep_last_blocks: 3 } })).toContain('use context.blocks');
    expect(detail({ window: { max_tokens: 1 } })).toContain('use context.budget');
    expect(detail({ soft_cap_chars: 1 })).toContain('use context.window');
  });

  it('is refused for null sections and wrong types', () => {
    expect(found({ window: null })).toEqual(['window null_section']);
    expect(found({ compaction: null })).toEqual(['compaction null_section']);
    expect(found(null)).toEqual([' null_section']);
    expect(found([])).toEqual([' wrong_type']);
    expect(found({ window: true })).toEqual(['window wrong_type']);
    expect(found({ window: { soft_cap_chars: '1000' } })).toEqual(['window.soft_cap_chars wrong_type']);
    expect(found({ window: { hard_cap_chars: true } })).toEqual(['window.hard_cap_chars wrong_type']);
    expect(found({ window: { mask_batch_turns: 'sometimes' } })).toEqual(['window.mask_batch_turns wrong_type']);
    expect(found({ budget: 'on' })).toEqual(['budget wrong_type']);
    expect(found({ preset: 'fast' })).toEqual(['preset unknown_value']);
  });

  it('is refused for numbers out of range', () => {
    expect(found({ window: { soft_cap_chars: 0 } })).toEqual(['window.soft_cap_chars out_of_range']);
    expect(found({ window: { observation_window: -1 } })).toEqual(['window.observation_window out_of_range']);
    expect(found({ window: { mask_batch_turns: 0 } })).toEqual(['window.mask_batch_turns out_of_range']);
    expect(found({ window: { observation_window: 1.5 } })).toEqual(['window.observation_window wrong_type']);
    expect(found({ budget: { max_tokens: 0 } })).toEqual(['budget.max_tokens out_of_range']);
    expect(found({ blocks: { window_width_tokens: -5 } })).toEqual(['blocks.window_width_tokens out_of_range']);
    expect(found({ blocks: { keep_last_blocks: 0 } })).toEqual(['blocks.keep_last_blocks out_of_range']);
    expect(found({ blocks: { keep_last_blocks: 101 } })).toEqual(['blocks.keep_last_blocks out_of_range']);
    expect(found({ compaction: { target_ratio: 1 } })).toEqual(['compaction.target_ratio out_of_range']);
  });

  it('is refused when fields contradict each other, defaults and presets included', () => {
    expect(found({ window: { soft_cap_chars: 100, hard_cap_chars: 99 } })).toEqual([
      'window.hard_cap_chars out_of_range',
    ]);
    expect(found({ window: { soft_cap_chars: 700_000 } })).toEqual(['window.hard_cap_chars out_of_range']);
    expect(found({ preset: 'chat', window: { soft_cap_chars: 90_000 } })).toEqual([
      'window.hard_cap_chars out_of_range',
    ]);
    expect(found({ blocks: { compaction_trigger_ratio: 0.5 } })).toEqual([
      'blocks.compaction_target_ratio out_of_range',
    ]);
    expect(found({ blocks: { compaction_trigger_ratio: 1.1 } })).toEqual([
      'blocks.compaction_trigger_ratio out_of_range',
    ]);
    expect(found({ preset: 'chat', compaction: { max_summary_chars: 40_000 } })).toEqual([
      'compaction.max_summary_chars out_of_range',
    ]);
  });

  it('gets all of its faults at once', () => {
    expect(
      found({ mode: 'old', window: { soft_cap_chars: 0, hard_cap_chars: '1' }, budget: null, extra: 1 }),
    ).toHaveLength(5);
  });
});
