import { createEngineHarness, type EngineHarness } from '../../support/engine-harness.js';
import { playSession } from '../../support/play-session.js';

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
});
