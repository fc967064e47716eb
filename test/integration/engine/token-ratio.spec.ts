import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { StoredEventOf } from '../../../libs/domain/src/index.js';
import { rebuildCall } from '../../../libs/engine/src/index.js';
import { createModels } from '../../../libs/models/src/index.js';
import { createEngineHarness, PROJECT, type EngineHarness } from '../../support/engine-harness.js';
import { logOf } from '../../support/compaction-stage.js';

/** What providers report corrects the next estimates, in the events alone: contexts can be built again byte for byte. */
const NAME = 'counted';
const WINDOW_TOKENS = 6_000;
/** Its vocabulary needs 1.6 times the pieces of o200k. */
const OTHER_VOCABULARY = 1.6;
const PARAGRAPH = 'The order was paid on Monday, packed on Tuesday and has not left the warehouse since. ';

/** Of a message: its text, and what stands around it. */
const pieces = (content: readonly object[]): number =>
  content.reduce((sum, part) => sum + ('text' in part ? countTokens(String(part.text)) : 0), 4);

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
  await harness.apply({
    name: NAME,
    inputs: { text: { type: 'string', required: true } },
    defaults: { model: `scripted:${NAME}`, retry: { max_attempts: 1 } },
    agents: { helper: { system_prompt: 'Help.' } },
    steps: [{ id: 'work', agent: 'helper', task: '${inputs.text}' }],
  });
  harness.scripts.set(NAME, ({ request }) => ({
    text: `Noted. ${PARAGRAPH.repeat(12)}`,
    usage: {
      input_tokens: Math.round(
        OTHER_VOCABULARY * request.messages.reduce((sum, { content }) => sum + pieces(content), 0),
      ),
      cached_tokens: 0,
      cache_write_tokens: 0,
      output_tokens: 9,
    },
  }));
});
afterAll(() => harness.close());

async function turn(n: number): Promise<string> {
  const overrides = { [`scripted:${NAME}`]: { window_tokens: WINDOW_TOKENS, max_output_tokens: 1_000 } };
  const models = createModels({ connections: new Map(), overrides, scripts: harness.scripts });
  const runId = await harness.start(NAME, { text: `${n}. ${PARAGRAPH.repeat(6)}` }, { streamId: NAME });
  await harness.queue.drain({ ...harness.deps, models });
  return runId;
}

it('calibrates the estimate by the usage of completed calls, and each recorded context is built again equal', async () => {
  const runs: string[] = [];
  for (let n = 1; n <= 4; n += 1) runs.push(await turn(n));
  const events = await harness.events(logOf(NAME));
  const started = events.filter((event): event is StoredEventOf<'LlmCallStarted'> => event.type === 'LlmCallStarted');
  const reported = events.flatMap((event) =>
    event.type === 'LlmCallCompleted' ? [event.data.usage?.input_tokens ?? 0] : [],
  );
  expect(reported).toHaveLength(4);
  const ratios = started.map(({ data }) => Number(data.report['token_ratio']));
  expect(ratios[0]).toBe(1);
  for (const ratio of ratios.slice(1)) expect(Math.abs(ratio / OTHER_VOCABULARY - 1)).toBeLessThan(0.15);
  const off = started.map(({ data }, at) => Math.abs(data.approx_context_tokens / (reported[at] ?? 0) - 1));
  expect(off[0]).toBeGreaterThan(0.25);
  expect(Math.max(...off.slice(1))).toBeLessThanOrEqual(0.1);
  // The window counts in the model's own tokens: fewer chars of it fit than were thought at first.
  const caps = started.map(({ data }) => Number(data.report['hard_cap']));
  expect(caps[1] ?? 0).toBeLessThan(0.75 * (caps[0] ?? 0));
  for (const runId of runs) {
    const call = { projectId: PROJECT, runId, stepId: 'work', item: null, callNo: 1, try: null };
    const rebuilt = await rebuildCall(harness.deps, call);
    const report = rebuilt?.build?.kind === 'ready' ? rebuilt.build.report : null;
    expect([rebuilt?.verdict, report?.['token_ratio']]).toEqual(['equal', ratios[runs.indexOf(runId)]]);
  }
});
