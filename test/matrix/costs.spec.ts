import { effectivePolicy } from '../../libs/context/src/index.js';
import { previewTranscript, recordedModel, type TotalLine } from '../../libs/engine/src/index.js';
import { readTranscript } from './transcripts.js';

const UNCACHED = { ...recordedModel(null, 'openai_chat'), promptCaching: false, cacheReadRatio: 1, cacheWriteRatio: 1 };

function total(context: object): TotalLine {
  const calls = previewTranscript(
    readTranscript('pi-large-session'),
    effectivePolicy({ pipeline: context }, false),
    UNCACHED,
  );
  for (;;) {
    const next = calls.next();
    if (next.done === true) return next.value;
  }
}

describe('the large session without a prompt cache, where each char costs the same', () => {
  it.each([
    ['the default caps', {}, 0.4],
    ['a soft cap of 60,000', { window: { soft_cap_chars: 60_000, hard_cap_chars: 120_000 } }, 0.17],
  ] as const)(
    'costs a part of the unmanaged history with %s',
    (_, context, most) => {
      const { cost, cost_unmanaged: unmanaged, chars, over_hard_cap: overCap } = total(context);
      expect(overCap).toBe(0);
      expect(cost).toBe(chars);
      expect(cost / unmanaged).toBeLessThanOrEqual(most);
    },
    10 * 60_000,
  );
});
