import { readdirSync, readFileSync } from 'node:fs';
import { importTranscript } from './import-transcript.js';
import { effectivePolicy } from './policy/index.js';
import { lint } from './shape/index.js';
import { Session, testManifest, testModel } from './testing/session.js';
import { transcriptSchema } from './transcript/index.js';

const folder = new URL('../../../test/fixtures/transcripts/', import.meta.url);
const names = readdirSync(folder).filter((file) => file.endsWith('.json') && file !== 'manifest.json');

it('all recorded sessions one after the other on one stream, under chat, run to the end below the hard cap', () => {
  const policy = effectivePolicy({ step: { preset: 'chat', compaction: { mode: 'blocking' } } }, false);
  const model = testModel({ apiFormat: 'openai_chat' });
  const tools = new Set<string>();
  const sessions = names.map((file) => {
    const transcript = transcriptSchema.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
    const imported = importTranscript(transcript, { origin: 'task', model: model.id, callNumbers: 'run' });
    for (const name of imported.plan.toolNames) tools.add(name);
    return imported;
  });
  const declared = [...tools].sort().map((name) => ({ name, description: '', parameters: {} }));
  const session = new Session(testManifest(policy, model, { tools: declared }), policy);
  const outcomes = { calls: 0, overHardCap: 0, largest: 0, faults: 0 };
  for (const [index, { steps }] of sessions.entries()) {
    let run = -1;
    for (const step of steps) {
      const number = step.kind === 'call' ? step.run : step.event.run;
      if (number !== run) session.begin('inherit', `run_${index}_${number}`);
      run = number;
      if (step.kind === 'event') {
        session.append(step.event.type, step.event.data as never);
        continue;
      }
      const build = session.settled();
      outcomes.calls += 1;
      if (build.kind === 'over_hard_cap') {
        outcomes.overHardCap += 1;
        continue;
      }
      outcomes.largest = Math.max(outcomes.largest, build.chars);
      outcomes.faults += lint(build.request, model.apiFormat).length;
      session.started(build);
    }
  }
  expect(outcomes).toMatchObject({ overHardCap: 0, faults: 0 });
  expect(outcomes.calls).toBeGreaterThan(700);
  expect(outcomes.largest).toBeLessThanOrEqual(80_000);
  expect(session.events.filter(({ type }) => type === 'ContextCompacted').length).toBeGreaterThan(3);
}, 300_000);
