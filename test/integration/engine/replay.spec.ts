import { createEngineHarness, type EngineHarness } from '../../support/engine-harness.js';
import { playSession } from '../../support/play-session.js';
import { replayAndRollBack } from '../../support/replay-and-roll-back.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

const TIGHT = {
  window: { observation_window: 3, soft_cap_chars: 9_000, hard_cap_chars: 60_000 },
  compaction: { max_summary_chars: 2_000 },
};

describe('a recorded session played through the engine', () => {
  // The large ones: test/matrix/replay.spec.ts.
  it.each([
    ['vcr-anthropic-parallel4', 'anthropic_thinking'],
    ['vcr-anthropic-redacted-thinking', 'anthropic_thinking'],
    ['vcr-anthropic-two-images', 'openai_chat'],
    ['sweagent-marshmallow', 'openai_chat'],
    ['tau-airline-33', 'strict_chat'],
  ] as const)('sends in each call of %s (%s) what the preview says', async (name, apiFormat) => {
    const { ends, hashes, previewed } = await playSession(harness, name, TIGHT, apiFormat);
    expect(ends.map(({ status }) => status)).toEqual(ends.map(({ recorded }) => recorded));
    expect(hashes).toEqual(previewed);
  });

  const budget = { max_tokens: 3_000, keep_recent_turns: 1 };
  const blocks = { window_width_tokens: 4_000, keep_last_blocks: 1 };
  it.each([
    ['blocks', { blocks }, 'tau-airline-33', 'bedrock'],
    ['budget, blocks and window', { ...TIGHT, budget, blocks }, 'tau-airline-33', 'openai_responses'],
    ['a fresh view', { mode: 'fresh', ...TIGHT }, 'tau-airline-33', 'anthropic'],
  ] as const)(
    'does so under %s',
    async (_, context, name, apiFormat) => {
      const { ends, hashes, previewed, shorter } = await playSession(harness, name, context, apiFormat);
      expect(ends.map(({ status }) => status)).toEqual(ends.map(({ recorded }) => recorded));
      expect(hashes).toEqual(previewed);
      expect(shorter).toBeGreaterThan(5);
    },
    300_000,
  );
});

// All sessions, under the preset `chat`: test/matrix/long-replay.spec.ts.
it('sessions one after the other on one stream run to their end, and every compaction can be rolled back', async () => {
  const names = ['sweagent-marshmallow', 'openhands-pony-103', 'tau-airline-33', 'vcr-anthropic-parallel4'] as const;
  const window = { observation_window: 2, soft_cap_chars: 9_000, hard_cap_chars: 40_000, min_tail_turns: 2 };
  const { calls, compactions } = await replayAndRollBack(harness, names, {
    window,
    compaction: { max_summary_chars: 2_000 },
  });
  expect(calls).toBeGreaterThan(90);
  expect(compactions).toBeGreaterThan(3);
}, 300_000);
