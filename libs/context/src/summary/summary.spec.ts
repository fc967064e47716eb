import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { API_FORMATS, countCodePoints, isWellFormed, lint, repairConversation, transcriptSchema } from '../index.js';
import { EventLog } from '../testing/event-log.js';
import { randomStream } from '../testing/random-stream.js';
import { transcriptLog } from '../testing/transcript-log.js';
import { APPENDIX_MARK, summaryText } from './appendix-mark.js';
import {
  buildSummary,
  chunkHistory,
  extractiveSummary,
  renderHistory,
  sourceDigestBytes,
  summaryRequest,
  summaryTextRoom,
} from './index.js';

const entriesOf = (log: EventLog) => repairConversation(log.events).entries;

describe('summaryRequest', () => {
  const log = new EventLog()
    .user("Use $& and $' and $` and $$ and {messages} and {{x}}")
    .answer('', [{ name: 'read' }])
    .result(0, 'a ``` fence');

  it('puts the history in literally (rows 73, 74)', () => {
    const request = summaryRequest({ entries: entriesOf(log), previousSummary: 'kept $1', asOf: 3, maxChars: 500 });
    const [message] = request.messages;
    const text = message?.content[0];
    expect(text?.type === 'text' && text.text).toContain("Use $& and $' and $` and $$ and {messages} and {{x}}");
    expect(text?.type === 'text' && text.text).toContain('kept $1');
    expect(text?.type === 'text' && text.text).toContain('````\n#1 user:');
  });

  it('obeys the linter in every format, whatever state the history is in (rows 12, 24, 60)', () => {
    fc.assert(
      fc.property(randomStream(), fc.constantFrom(...API_FORMATS), (events, format) => {
        const request = summaryRequest({
          entries: repairConversation(events).entries,
          previousSummary: null,
          asOf: 1,
          maxChars: 500,
        });
        expect(lint(request, format)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('never shows the appendix of the superseded summary or any reasoning', () => {
    const thinking = new EventLog().user('a').answer([
      { type: 'thinking', text: 'secret plan', signature: 's' },
      { type: 'text', text: 'b' },
    ]);
    const text = JSON.stringify(
      summaryRequest({
        entries: entriesOf(thinking),
        previousSummary: `old\n\n${APPENDIX_MARK}\n#1: words`,
        asOf: 2,
        maxChars: 500,
      }),
    );
    expect(text).not.toContain('secret plan');
    expect(text).not.toContain('#1: words');
  });

  it('cuts long histories into chunks of whole turns that fit', () => {
    const long = new EventLog().user('go');
    for (let turn = 0; turn < 20; turn += 1)
      long.answer(`step ${turn}`, [{}, {}]).result(0, 'x'.repeat(300)).result(1, 'y'.repeat(300));
    const entries = entriesOf(long);
    const chunks = chunkHistory(entries, 2_000);
    expect(chunks.flat()).toEqual(entries);
    expect(chunks.length).toBeGreaterThan(5);
    for (const chunk of chunks) {
      expect(chunk[0]?.kind).not.toBe('result');
      expect(countCodePoints(renderHistory(chunk))).toBeLessThanOrEqual(2_000);
    }
  });
});

describe('buildSummary', () => {
  it('stays bounded over any number of rounds (row 62)', () => {
    const log = new EventLog();
    let previousSummary: string | null = null;
    for (let round = 0; round < 12; round += 1) {
      log
        .user(`Please do thing ${round} with file src/part-${round}.ts. ${'words '.repeat(50)}`)
        .answer(`I changed src/part-${round}.ts because of E${round}FAULT. It works now.`);
      const entries = entriesOf(log);
      const text = extractiveSummary({
        entries: entries.slice(-2),
        previousSummary,
        asOf: entries.length,
        maxChars: summaryTextRoom(2_000, entries),
      });
      previousSummary = buildSummary({ text, entries, previousSummary, maxChars: 2_000 });
      expect(countCodePoints(previousSummary)).toBeLessThanOrEqual(2_000);
    }
    expect(previousSummary).toContain('#1: Please do thing 0');
    expect(previousSummary).toContain('#23: Please do thing 11');
  });

  it('notes names that a model made up (row 66)', () => {
    const entries = entriesOf(new EventLog().user('fix src/a.ts').answer('done'));
    const summary = buildSummary({
      text: 'Fixed src/a.ts and lib/invented.ts.',
      entries,
      previousSummary: null,
      maxChars: 1_000,
    });
    expect(summary).toContain('Named above, but not in the record: lib/invented.ts');
  });

  it('holds its mark once, wherever a model writes it', () => {
    const entries = entriesOf(new EventLog().user(`say ${APPENDIX_MARK}`));
    const summary = buildSummary({ text: `one ${APPENDIX_MARK} two`, entries, previousSummary: null, maxChars: 1_000 });
    expect(summaryText(summary)).toBe('one  two');
  });

  it('is total, bounded and well-formed over any stream (rows 85, 100)', () => {
    fc.assert(
      fc.property(randomStream(), fc.integer({ min: 0, max: 800 }), (events, maxChars) => {
        const { entries } = repairConversation(events);
        const before = structuredClone(entries);
        const text = extractiveSummary({
          entries,
          previousSummary: null,
          asOf: entries.length,
          maxChars: summaryTextRoom(maxChars, entries),
        });
        const summary = buildSummary({ text, entries, previousSummary: null, maxChars });
        expect(countCodePoints(text)).toBeLessThanOrEqual(summaryTextRoom(maxChars, entries));
        expect(countCodePoints(summary)).toBeLessThanOrEqual(maxChars);
        expect(isWellFormed(summary)).toBe(true);
        expect(entries).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });
});

describe('extractiveSummary', () => {
  it('says as of which entry it speaks, and asks and orders nothing of its own (rows 36, 54)', () => {
    const entries = entriesOf(new EventLog().user('q').answer('The cache was stale because of a bug.'));
    expect(extractiveSummary({ entries, previousSummary: null, asOf: 2, maxChars: 500 })).toBe(
      'As of #2:\n- #2 The cache was stale because of a bug.',
    );
  });

  it('makes something of a range without user messages (row 85)', () => {
    const entries = entriesOf(
      new EventLog()
        .answer('', [{ name: 'read' }])
        .result(0, 'The file holds three functions.')
        .answer('', [{ name: 'read' }])
        .result(0, 'ENOENT: no such file', { status: 'error' }),
    );
    const summary = extractiveSummary({ entries, previousSummary: null, asOf: 4, maxChars: 500 });
    expect(summary).toContain('ENOENT');
    expect(summary).toContain('Tools used: read 2 (1 not ok)');
  });

  it('summarises a long recorded session within its bound', () => {
    const transcript = transcriptSchema.parse(
      JSON.parse(readFileSync(join(process.cwd(), 'test/fixtures/transcripts/pi-large-session.json'), 'utf8')),
    );
    const { entries } = repairConversation(transcriptLog(transcript).log.events.slice(0, 900));
    const text = extractiveSummary({
      entries,
      previousSummary: null,
      asOf: 400,
      maxChars: summaryTextRoom(12_000, entries),
    });
    const summary = buildSummary({ text, entries, previousSummary: null, maxChars: 12_000 });
    expect(countCodePoints(summary)).toBeLessThanOrEqual(12_000);
    expect(countCodePoints(summary)).toBeGreaterThan(8_000);
    expect(summary).not.toContain('Named above');
  });
});

describe('sourceDigestBytes', () => {
  it('differs when an event is missing, changed or elsewhere', () => {
    const bytes = sourceDigestBytes([
      { seq: 1, digest: 'a' },
      { seq: 2, digest: 'b' },
    ]);
    expect(bytes).toBe('1 a\n2 b\n');
    expect(
      sourceDigestBytes([
        { seq: 1, digest: 'a' },
        { seq: 3, digest: 'b' },
      ]),
    ).not.toBe(bytes);
  });
});
