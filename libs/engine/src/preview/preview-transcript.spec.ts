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
): { calls: CallLine[]; total: TotalLine; maxBuildMs: number } {
  const calls: CallLine[] = [];
  let maxBuildMs = 0;
  const previewing = previewTranscript(transcript, effectivePolicy({ pipeline: context }, false), model);
  for (;;) {
    const next = previewing.next();
    if (next.done === true) return { calls, total: next.value, maxBuildMs };
    calls.push(next.value.line);
    maxBuildMs = Math.max(maxBuildMs, next.value.buildMs);
  }
}

describe('a large recorded session', () => {
  const large = recorded('pi-large-session');

  it('costs a sixth of its chars and a third of its cost with a soft cap of 60,000', () => {
    const before = performance.now();
    const { calls, total, maxBuildMs } = preview(large, {
      preset: 'coding_agent',
      window: { soft_cap_chars: 60_000, hard_cap_chars: 120_000 },
    });
    console.log(
      total,
      maxBuildMs,
      performance.now() - before,
      total.chars / total.chars_unmanaged,
      total.cost / total.cost_unmanaged,
    );
    expect(total).toMatchObject({ calls: calls.length, over_hard_cap: 0, lint_violations: 0 });
    expect(total.chars / total.chars_unmanaged).toBeLessThanOrEqual(0.17);
    expect(total.cost / total.cost_unmanaged).toBeLessThanOrEqual(0.32);
    expect(total.compactions).toBeGreaterThan(0);
  });

  it('costs half with the default caps', () => {
    const { total } = preview(large, {});
    console.log(total, total.cost / total.cost_unmanaged);
    expect(total.cost / total.cost_unmanaged).toBeLessThanOrEqual(0.5);
  });
});
