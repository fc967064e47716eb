import { createEngineHarness, type EngineHarness } from '../support/engine-harness.js';
import { replayAndRollBack } from '../support/replay-and-roll-back.js';
import { TRANSCRIPTS } from './transcripts.js';

let harness: EngineHarness;
beforeAll(async () => {
  harness = await createEngineHarness();
});
afterAll(() => harness.close());

it('all recorded sessions on one stream, under `chat`, run to their end, and every compaction can be rolled back', async () => {
  const { calls, compactions } = await replayAndRollBack(harness, TRANSCRIPTS, { preset: 'chat' });
  expect(calls).toBeGreaterThan(700);
  expect(compactions).toBeGreaterThan(3);
}, 3_600_000);
