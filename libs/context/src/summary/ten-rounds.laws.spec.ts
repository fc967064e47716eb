import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { countCodePoints } from '../shape/index.js';
import { compactInRounds, entriesOf, SUMMARISERS, type Summariser } from '../testing/compaction-rounds.js';
import { plantAnchors, PLANTED } from '../testing/plant-anchors.js';
import { transcriptSchema, type Transcript } from '../transcript/index.js';

const B = 12_000;
const FILLER = 'We looked at it from all sides and it was as one would expect it to be there. ';

/** 40 anchors of all kinds, one in each exchange: half said by tools, the rest by the user and the assistant. */
const ANCHORS = Array.from({ length: 40 }, (_, n): string => {
  const kinds = [
    `ORD-${7_001 + n * 13}`,
    `src/part${n}/module_${n}.ts`,
    `https://example.org/t/${n}a`,
    `${41_000 + n * 7}.50`,
  ];
  return kinds[n % 4] ?? '';
});

function planted(): Transcript {
  const messages = ANCHORS.flatMap((anchor, n) => [
    { role: 'user', content: n % 4 === 1 ? `Please mind ${anchor}, part ${n}.` : `Please go on with part ${n}.` },
    { role: 'assistant', content: 'I will look.', tool_calls: [{ id: `c${n}`, name: 'look', arguments: '{}' }] },
    { role: 'tool', tool_call_id: `c${n}`, name: 'look', content: `${FILLER.repeat(20)}${n % 4 > 1 ? anchor : ''}` },
    { role: 'assistant', content: `${n % 4 === 0 ? `It is ${anchor}. ` : ''}${FILLER.repeat(3)}` },
  ]);
  return transcriptSchema.parse({ messages });
}

const userMessages = (transcript: Transcript): string[] =>
  transcript.messages.flatMap(({ role, content }) => (role === 'user' && typeof content === 'string' ? [content] : []));

describe('a summary after ten rounds', () => {
  const transcript = planted();
  const entries = entriesOf(transcript);

  it.each(['extractive', 'lossy'])('holds at least 95 %% of forty planted anchors: %s', (name) => {
    const rounds = compactInRounds(entries, 10, SUMMARISERS[name] ?? (() => ''), B);
    const last = rounds.at(-1)?.summary ?? '';
    const kept = ANCHORS.filter((anchor) => last.includes(anchor));
    expect(kept.length / ANCHORS.length).toBeGreaterThanOrEqual(0.95);
  });

  it.each(Object.keys(SUMMARISERS))('holds every user message verbatim and stays within its bound: %s', (name) => {
    const rounds = compactInRounds(entries, 10, SUMMARISERS[name] ?? (() => ''), B);
    for (const { summary } of rounds) expect(countCodePoints(summary)).toBeLessThanOrEqual(B);
    const last = rounds.at(-1)?.summary ?? '';
    expect(userMessages(transcript).filter((message) => !last.includes(message))).toEqual([]);
  });

  it('holds them whatever a model writes, up to its bound', () => {
    const said = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(said, fc.integer({ min: 1, max: 40 }), (words, share) => {
        let round = 0;
        const any: Summariser = () => {
          const word = words[round] === undefined || words[round] === '' ? 'x' : (words[round] ?? 'x');
          round += 1;
          return [...word.repeat(B)].slice(0, Math.floor((B * share) / 40)).join('');
        };
        const last = compactInRounds(entries, 10, any, B).at(-1)?.summary ?? '';
        expect(countCodePoints(last)).toBeLessThanOrEqual(B);
        expect(userMessages(transcript).filter((message) => !last.includes(message))).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  // context-failures row 62: the size is bounded over any number of rounds.
  it('of any round is within its bound, also when each round echoes the one before', () => {
    for (const { summary } of compactInRounds(entries, 20, SUMMARISERS['echoing'] ?? (() => ''), B))
      expect(countCodePoints(summary)).toBeLessThanOrEqual(B);
  });
});

const folder = new URL('../../../../test/fixtures/transcripts/', import.meta.url);
const recorded = readdirSync(folder)
  .filter((file) => file.endsWith('.json') && file !== 'manifest.json')
  .map((file) => ({
    file,
    entries: entriesOf(transcriptSchema.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')))),
  }))
  .filter(({ entries }) => entries.length > 20);

describe.each(recorded)('ten rounds over the recorded session $file', ({ entries }) => {
  it.each(['extractive', 'lossy'])('keep at least 95 %% of forty planted anchors, within the bound: %s', (name) => {
    const rounds = compactInRounds(plantAnchors(entries, 'sentence'), 10, SUMMARISERS[name] ?? (() => ''), B);
    for (const { summary } of rounds) expect(countCodePoints(summary)).toBeLessThanOrEqual(B);
    const last = rounds.at(-1)?.summary ?? '';
    const lost = PLANTED.filter((anchor) => !last.includes(anchor));
    expect(lost.length).toBeLessThanOrEqual(PLANTED.length * 0.05);
  });
});
