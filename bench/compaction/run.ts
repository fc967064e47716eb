// `npm run bench:compaction`: what is left of recorded sessions after 1, 3, 5 and 10 compactions. Writes report.md beside it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { transcriptSchema } from '../../libs/context/src/index.js';
import { entriesOf } from '../../libs/context/src/testing/compaction-rounds.js';
import { plantAnchors, PLANTED } from '../../libs/context/src/testing/plant-anchors.js';
import { anchorsIn, measureSession } from './measure.js';
import { reportMarkdown, type Session } from './report.js';

const folder = new URL('../../test/fixtures/transcripts/', import.meta.url);
/** Shorter ones have nothing to compact. */
const LEAST_TURNS = 10;

const sessions = readdirSync(folder)
  .filter((file) => file.endsWith('.json') && file !== 'manifest.json')
  .sort()
  .flatMap((file): Session[] => {
    const transcript = transcriptSchema.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
    const entries = entriesOf(transcript);
    const turns = entries.filter(({ kind }) => kind === 'assistant').length;
    if (turns < LEAST_TURNS) return [];
    const planted = { inSentences: plantAnchors(entries, 'sentence'), inData: plantAnchors(entries, 'data') };
    // Anchors of the session itself are looked for as they were, without what was planted.
    const anchors = anchorsIn(entries, PLANTED);
    const measured = measureSession(planted, anchors);
    const slowest = Math.max(...measured.map(({ ms, rounds }) => ms / rounds));
    process.stderr.write(`${file}: ${turns} turns, at most ${Math.round(slowest)} ms a summary\n`);
    return [{ name: file.replace('.json', ''), turns, anchors, measured }];
  });
writeFileSync(new URL('report.md', import.meta.url), reportMarkdown(sessions));
