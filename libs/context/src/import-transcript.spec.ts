import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  API_FORMATS,
  importTranscript,
  lint,
  repairConversation,
  replayPlan,
  toWire,
  transcriptSchema,
  type Transcript,
} from './index.js';
import { wholeItems } from './testing/shown-items.js';
import { transcriptLog } from './testing/transcript-log.js';
import { wireFaults } from './testing/wire-faults.js';
import { shape } from './testing/shape-items.js';

const folder = join(process.cwd(), 'test/fixtures/transcripts');
const names = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'manifest.json');
const load = (name: string): Transcript => transcriptSchema.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')));

describe('importTranscript', () => {
  const every = Number(process.env.TRANSCRIPT_STEP ?? 10);

  it.each(names)('gives a valid request before every tenth answer of %s, in every format', (name) => {
    const { log, prefixes } = transcriptLog(load(name));
    const sampled = prefixes.filter((_, index) => index % every === 0 || index === prefixes.length - 1);
    for (const { events, step } of sampled) {
      const items = wholeItems(repairConversation(log.events.slice(0, events)).entries);
      for (const apiFormat of API_FORMATS) {
        const { messages } = shape(items, { apiFormat, id: step.model, images: true, documents: true });
        const request = { system: null, tools: [], messages: messages.map(({ message }) => message) };
        const found = [...lint(request, apiFormat), ...wireFaults(toWire(request, apiFormat), apiFormat)];
        expect([step.call.messageIndex, found]).toEqual([step.call.messageIndex, []]);
      }
    }
  });

  it.each(names)('uses every message of %s once', (name) => {
    const transcript = load(name);
    const { runs, unusedResults } = replayPlan(transcript);
    const used = runs.flatMap((run) => [
      ...(run.userIndex === null ? [] : [run.userIndex]),
      ...run.calls.flatMap((call) => [
        call.messageIndex,
        ...call.results.flatMap((result) => (result === null ? [] : [result.messageIndex])),
      ]),
    ]);
    const system = transcript.messages.flatMap((message, index) => (message.role === 'system' ? [index] : []));
    expect([...used, ...unusedResults, ...system].toSorted((a, b) => a - b)).toEqual(
      transcript.messages.map((_, index) => index),
    );
    expect(unusedResults).toEqual([]);
  });

  it('plays the large session as 88 runs with a [continue] between two answers', () => {
    const { runs } = replayPlan(load('pi-large-session.json'));
    expect(runs.filter((run) => run.userIndex !== null)).toHaveLength(88);
    expect(runs.filter((run) => run.userIndex === null)).toHaveLength(1);
    expect(runs.flatMap((run) => run.calls)).toHaveLength(453);
    expect(runs.flatMap((run) => run.calls.filter((call) => call.outcome.kind === 'failed'))).toHaveLength(22);
  });

  it('numbers calls through the whole import when they belong to no run', () => {
    const { steps } = importTranscript(load('zh-toolcall.json'), {
      origin: 'import',
      model: 'test:model',
      callNumbers: 'import',
    });
    const numbers = steps.flatMap((step) => (step.kind === 'call' ? [step.callNo] : []));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});
