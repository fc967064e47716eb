import { API_FORMATS } from '../../libs/context/src/index.js';
import { createEngineHarness, type EngineHarness } from '../support/engine-harness.js';
import { playSession } from '../support/play-session.js';
import { SECTIONS } from './policies.js';
import { TRANSCRIPTS } from './transcripts.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

const BOUNDED = { window: { observation_window: 3, soft_cap_chars: 60_000, hard_cap_chars: 160_000 } };

describe('a large recorded session played through the engine', () => {
  it.each([
    ['cc-cjk-emoji-errors', 'anthropic_thinking'],
    ['cc-episodic-long', 'anthropic_thinking'],
    ['cc-huge-output', 'openai_chat'],
    ['openhands-pony-103', 'strict_chat'],
    ['zh-toolcall', 'anthropic'],
    ['pi-large-session', 'anthropic_thinking'],
    ['pi-large-session', 'openai_chat'],
  ] as const)(
    'sends in each call of %s (%s) what the preview says',
    async (name, apiFormat) => {
      const { ends, hashes, previewed } = await playSession(harness, name, BOUNDED, apiFormat);
      expect(ends.map(({ status }) => status)).toEqual(ends.map(({ recorded }) => recorded));
      expect(hashes).toEqual(previewed);
    },
    20 * 60_000,
  );

  // Each session once more under one of the other policies, in one of the forms; over all sessions each of both comes up.
  const policies = Object.entries(SECTIONS);
  const others = TRANSCRIPTS.flatMap((name, at) => {
    const [policy, context] = policies[at % policies.length] ?? [];
    const apiFormat = API_FORMATS[at % API_FORMATS.length];
    return policy === undefined || context === undefined || apiFormat === undefined
      ? []
      : [{ name, policy, context, apiFormat }];
  });
  it.each(others)(
    'sends in each call of $name under $policy ($apiFormat) what the preview says',
    async ({ name, context, apiFormat }) => {
      const { ends, hashes, previewed } = await playSession(harness, name, context, apiFormat);
      expect(ends.map(({ status }) => status)).toEqual(ends.map(({ recorded }) => recorded));
      expect(hashes).toEqual(previewed);
    },
    20 * 60_000,
  );
});
