import {
  checkEffectivePolicy,
  effectivePolicy,
  policyCanonical,
  policyJson,
  readPolicy,
  usesDefaultPolicy,
} from './effective-policy.js';
import { presets } from './presets.js';

describe('the policy in effect', () => {
  it('is the window with its defaults when no level names a section', () => {
    const policy = effectivePolicy({}, false);
    expect(policy).toMatchObject({ mode: 'inherit', window: presets.coding_agent, budget: null, blocks: null });
    expect(usesDefaultPolicy({})).toBe(true);
    expect(usesDefaultPolicy({ settings: {} })).toBe(false);
  });

  it('has only the named sections otherwise', () => {
    expect(effectivePolicy({ pipeline: { budget: { max_tokens: 10 } } }, false)).toMatchObject({
      window: null,
      budget: { max_tokens: 10, keep_recent_turns: 3 },
    });
    expect(effectivePolicy({ step: { window: 'off' } }, false)).toMatchObject({
      window: null,
      budget: null,
      blocks: null,
    });
    expect(effectivePolicy({ step: { window: 'off' }, pipeline: { preset: 'chat', blocks: {} } }, false)).toMatchObject(
      { window: null, blocks: { keep_last_blocks: 5 } },
    );
  });

  it('takes a whole section from the nearest level that has it', () => {
    const levels = {
      settings: { window: { soft_cap_chars: 1_000, hard_cap_chars: 2_000 } },
      agent: { window: { observation_window: 3 } },
    };
    expect(effectivePolicy(levels, false).window).toEqual({ ...presets.coding_agent, observation_window: 3 });
    expect(
      effectivePolicy(
        { pipeline: { compaction: { target_ratio: 0.2 } }, step: { compaction: { mode: 'blocking' } } },
        false,
      ).compaction,
    ).toMatchObject({ mode: 'blocking', target_ratio: 0.5 });
  });

  /** Of each section: what a farther level says, what a nearer one says, and what is in effect then. */
  const sections = [
    [
      'window',
      { soft_cap_chars: 1_000, hard_cap_chars: 2_000 },
      { observation_window: 3 },
      { soft_cap_chars: 400_000 },
    ],
    ['budget', { max_tokens: 500, summary_model: 'm:1' }, { max_context_items: 7 }, { max_tokens: null }],
    ['blocks', { window_width_tokens: 500 }, { keep_last_blocks: 7 }, { window_width_tokens: null }],
    ['compaction', { target_ratio: 0.2 }, { mode: 'blocking' }, { target_ratio: 0.5 }],
    ['memory', { placement: 'before_tail' }, { max_value_chars: 9 }, { placement: 'inline' }],
  ] as const;
  const levels = ['settings', 'pipeline', 'agent', 'step'] as const;
  const pairs = levels.flatMap((far, at) => levels.slice(at + 1).map((near) => [near, far] as const));

  it.each(pairs)('of %s replaces each section of %s whole, or removes it', (near, far) => {
    for (const [section, farther, nearer, defaulted] of sections) {
      const policy = effectivePolicy({ [far]: { [section]: farther }, [near]: { [section]: nearer } }, false);
      expect(policy[section]).toMatchObject({ ...nearer, ...defaulted });
      expect(effectivePolicy({ [far]: { [section]: farther }, [near]: {} }, false)[section]).toMatchObject(farther);
      if (section === 'compaction' || section === 'memory') continue;
      expect(
        effectivePolicy({ [far]: { [section]: farther }, [near]: { [section]: 'off' } }, false)[section],
      ).toBeNull();
      const back = effectivePolicy({ [far]: { [section]: 'off' }, [near]: { [section]: nearer } }, false);
      expect(back[section]).toMatchObject(nearer);
    }
  });

  it('takes presets for a window, and fields beside one for changes of it', () => {
    expect(effectivePolicy({ pipeline: { preset: 'chat' } }, false).window).toEqual(presets.chat);
    expect(effectivePolicy({ pipeline: { preset: 'chat', window: { observation_window: 5 } } }, false).window).toEqual({
      ...presets.chat,
      observation_window: 5,
    });
    expect(
      effectivePolicy({ pipeline: { preset: 'chat' }, step: { window: { observation_window: 5 } } }, false).window,
    ).toEqual({ ...presets.coding_agent, observation_window: 5 });
  });

  it('is fresh for items of a for_each unless said otherwise', () => {
    expect(effectivePolicy({}, true).mode).toBe('fresh');
    expect(effectivePolicy({ pipeline: { mode: 'inherit' } }, true).mode).toBe('inherit');
  });

  it('is read back from a manifest as it was', () => {
    const policy = effectivePolicy({ step: { preset: 'evals', budget: {} } }, false);
    expect(readPolicy(policyJson(policy))).toEqual(policy);
    expect(policyCanonical(policy)).toBe(policyCanonical(structuredClone(policy)));
  });

  it('is refused with blocks where nothing says how wide the window is', () => {
    const policy = effectivePolicy({ step: { blocks: {} } }, false);
    expect(checkEffectivePolicy(policy, null).map(({ path }) => path)).toEqual(['blocks.window_width_tokens']);
    expect(checkEffectivePolicy(policy, 8_000)).toEqual([]);
    const wide = effectivePolicy(
      { pipeline: { compaction: { max_summary_chars: 50_000 } }, step: { preset: 'chat' } },
      false,
    );
    expect(checkEffectivePolicy(wide, null).map(({ path }) => path)).toEqual(['compaction.max_summary_chars']);
  });
});
