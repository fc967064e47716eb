import { readFileSync } from 'node:fs';
import { effectivePolicy, transcriptSchema, type Transcript } from '#libs/context';
import { previewTranscript, recordedModel, RECORDED_MODEL, type CallLine, type TotalLine } from './index.js';

const recorded = (name: string): Transcript =>
  transcriptSchema.parse(
    JSON.parse(readFileSync(new URL(`../../../../test/fixtures/transcripts/${name}.json`, import.meta.url), 'utf8')),
  );

function preview(
  transcript: Transcript,
  context: unknown,
  model = RECORDED_MODEL,
): { calls: CallLine[]; total: TotalLine } {
  const calls: CallLine[] = [];
  const previewing = previewTranscript(transcript, effectivePolicy({ pipeline: context }, false), model);
  for (;;) {
    const next = previewing.next();
    if (next.done === true) return { calls, total: next.value };
    calls.push(next.value.line);
  }
}

const session = (...messages: object[]): Transcript => transcriptSchema.parse({ messages });
const answer = (content: string, meta: object = {}) => ({ role: 'assistant', content, meta });

describe('a preview', () => {
  it('prices what was sent before as read and the rest as written', () => {
    const { calls, total } = preview(
      session({ role: 'user', content: 'abcd' }, answer('ef'), { role: 'user', content: 'ghi' }, answer('j')),
      {},
    );
    expect(calls.map(({ chars, common_prefix_chars, cost }) => [chars, common_prefix_chars, cost])).toEqual([
      [4, 0, 5],
      [9, 4, 0.4 + 1.25 * 5],
    ]);
    expect(total).toMatchObject({ calls: 2, chars: 13, chars_unmanaged: 13, cost: 11.65, cost_unmanaged: 11.65 });
  });

  it('prices every char as one where the model caches nothing', () => {
    const plain = { ...RECORDED_MODEL, promptCaching: false };
    const { total } = preview(session({ role: 'user', content: 'abcd' }, answer('ef')), {}, plain);
    expect(total.cost).toBe(4);
  });

  it('numbers answers as the recording has them, failed ones too, and goes on with [continue]', () => {
    const { calls } = preview(
      session({ role: 'user', content: 'a' }, answer('', { stop_reason: 'aborted' }), answer('b')),
      {},
    );
    expect(calls.map(({ call, message_index, messages }) => [call, message_index, messages])).toEqual([
      [1, 1, 1],
      [2, 2, 2],
    ]);
  });

  it('sees in each run only that run when the policy is fresh', () => {
    const { calls } = preview(
      session({ role: 'user', content: 'a' }, answer('b'), { role: 'user', content: 'c' }, answer('d')),
      { mode: 'fresh' },
    );
    expect(calls.map(({ messages, omitted }) => [messages, omitted])).toEqual([
      [1, 0],
      [1, 2],
    ]);
  });

  it('counts a call over the cap with nothing in it, and goes on', () => {
    const long = 'x'.repeat(3_000);
    const { calls, total } = preview(
      session({ role: 'user', content: long }, answer('b'), { role: 'user', content: 'c' }, answer('d')),
      {
        window: { soft_cap_chars: 1_000, hard_cap_chars: 2_000, min_tail_turns: 0 },
        compaction: { max_summary_chars: 500 },
      },
    );
    expect(calls[0]).toMatchObject({ outcome: 'over_hard_cap', chars: 0, cost: 0, context_hash: null });
    expect(calls[0]?.chars_unmanaged).toBe(3_000);
    expect(total.over_hard_cap).toBe(1);
    expect(calls[1]?.outcome).toBe('ready');
  });

  it('takes the form that is asked for', () => {
    const transcript = recorded('vcr-anthropic-parallel4');
    const chat = preview(transcript, {});
    const thinking = preview(transcript, {}, recordedModel(null, 'anthropic_thinking'));
    expect([chat.total.lint_violations, thinking.total.lint_violations]).toEqual([0, 0]);
  });
});

describe('a large recorded session', () => {
  const large = recorded('pi-large-session');

  it('sends a sixth of its chars for a quarter of its cost with a soft cap of 60,000', () => {
    const { calls, total } = preview(large, {
      preset: 'coding_agent',
      window: { soft_cap_chars: 60_000, hard_cap_chars: 120_000 },
    });
    expect(total).toMatchObject({ calls: 453, over_hard_cap: 0, lint_violations: 0 });
    expect(calls).toHaveLength(453);
    expect(Math.max(...calls.map(({ chars }) => chars))).toBeLessThanOrEqual(120_000);
    expect(total.chars / total.chars_unmanaged).toBeLessThanOrEqual(0.17);
    expect(total.cost / total.cost_unmanaged).toBeLessThanOrEqual(0.28);
    expect(total.compactions).toBeGreaterThan(0);
  });

  // Without a prompt cache, and with summaries by a model: test/matrix/costs.spec.ts and bench/context.
  it('costs less than half with the default caps', () => {
    const { total } = preview(large, {});
    expect(total.lint_violations).toBe(0);
    expect(total.cost / total.cost_unmanaged).toBeLessThanOrEqual(0.47);
  });
});

describe('every recorded session', () => {
  it.each([
    'cc-cjk-emoji-errors',
    'cc-episodic-long',
    'cc-huge-output',
    'openhands-pony-103',
    'sweagent-marshmallow',
    'tau-airline-33',
    'vcr-anthropic-parallel4',
    'vcr-anthropic-redacted-thinking',
    'vcr-anthropic-two-images',
    'zh-toolcall',
  ])('costs no more than without a policy: %s', (name) => {
    const { total } = preview(recorded(name), { window: { mask_batch_turns: 'auto' } });
    expect(total.lint_violations).toBe(0);
    expect(total.cost / total.cost_unmanaged).toBeLessThanOrEqual(1);
  });
});
