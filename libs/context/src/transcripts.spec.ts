import { readdirSync, readFileSync } from 'node:fs';
import { buildContext } from './build-context.js';
import { API_FORMATS } from './neutral.js';
import { lint, toWire } from './shape/index.js';
import { measureSession, type Measures } from './testing/measure-session.js';
import { testManifest, testModel, windowPolicy } from './testing/session.js';
import { transcriptLog } from './testing/transcript-log.js';
import { wireFaults } from './testing/wire-faults.js';
import { transcriptSchema } from './transcript/index.js';

const folder = new URL('../../../test/fixtures/transcripts/', import.meta.url);
const measured = (name: string, window: { [field: string]: number }): Measures =>
  measureSession(
    transcriptSchema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))),
    windowPolicy(window),
    testModel(),
  );

const names = readdirSync(folder).flatMap((file) => (/^(?!manifest).*\.json$/.test(file) ? [file.slice(0, -5)] : []));
/** Calls of a session that are built here; the matrix builds all. */
const SAMPLES = 6;

describe('the linter', () => {
  it.each(names)('finds nothing in %s in any form, unmanaged or under a small window', (name) => {
    const { log, prefixes, plan } = transcriptLog(
      transcriptSchema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))),
    );
    const policy = windowPolicy({ observation_window: 2, soft_cap_chars: 20_000, hard_cap_chars: 2_000_000 });
    const tools = plan.toolNames.map((tool) => ({ name: tool, description: '', parameters: {} }));
    for (const apiFormat of API_FORMATS) {
      const model = testModel({ apiFormat });
      const manifest = testManifest(policy, model, { system_prompt: plan.systemPrompt, tools });
      for (let sample = 1; sample <= SAMPLES; sample += 1) {
        const uptoSeq = prefixes[Math.ceil((prefixes.length * sample) / SAMPLES) - 1]?.events ?? 0;
        for (const purpose of ['unmanaged', 'no_wait'] as const) {
          const view = { mode: 'inherit' as const, runId: null, cutoffSeq: null };
          const build = buildContext({
            ...{ events: log.events, view, manifest, policyHash: 'p', memory: null, uptoSeq },
            ...{ runActive: false, purpose },
          });
          const request = build.kind === 'ready' ? build.request : null;
          if (request === null) continue;
          expect({ apiFormat, found: lint(request, apiFormat, { model }) }).toEqual({ apiFormat, found: [] });
          expect(wireFaults(toWire(request, apiFormat), apiFormat)).toEqual([]);
        }
      }
    }
  });
});

/** Sizes and costs in char units, reads at 0.1 and writes at 1.25. The whole matrix is `npm run test:matrix`. */
describe('recorded sessions', () => {
  it.each([
    'cc-cjk-emoji-errors',
    'cc-episodic-long',
    'cc-huge-output',
    'openhands-pony-103',
    'tau-airline-33',
    'sweagent-marshmallow',
  ])('cost no more than unmanaged under the defaults: %s', (name) => {
    const sums = measured(name, {});
    expect(sums.cost).toBeLessThanOrEqual(sums.costUnmanaged);
    expect(sums).toMatchObject({ lint: 0, overHardCap: 0 });
  });

  it('cost half of unmanaged or less where they are long', () => {
    const sums = measured('pi-large-session', {});
    expect(sums.cost / sums.costUnmanaged).toBeLessThanOrEqual(0.47);
    expect(sums).toMatchObject({ lint: 0, overHardCap: 0, calls: 453 });
  }, 60_000);

  it('send at most 17 % of the chars for at most 0.28 of the cost with a soft cap of 60,000', () => {
    const sums = measured('pi-large-session', { soft_cap_chars: 60_000, hard_cap_chars: 120_000 });
    expect(sums.chars / sums.charsUnmanaged).toBeLessThanOrEqual(0.17);
    expect(sums.cost / sums.costUnmanaged).toBeLessThanOrEqual(0.28);
    expect(sums).toMatchObject({ lint: 0, overHardCap: 0 });
  }, 60_000);
});
