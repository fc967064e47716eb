import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { API_FORMATS, countCodePoints, isWellFormed, lint, repairConversation, transcriptSchema } from '../index.js';
import { EventLog } from '../testing/event-log.js';
import { randomStream } from '../testing/random-stream.js';
import { transcriptLog } from '../testing/transcript-log.js';
import { APPENDIX_MARK, summaryText } from './appendix-mark.js';
import { summaryAppendix } from './appendix.js';
import { anchorsOf } from './anchors.js';
import { buildSummary, checkSummaryText, chunkHistory, extractiveSummary, gateSummary, renderHistory, sourceDigestBytes, summaryRequest, summaryTextRoom } from './index.js';

const entriesOf = (log: EventLog) => repairConversation(log.events).entries;
const said = (text: string, calls: { id: string; name: string; arguments: string }[] = []) => ({ content: [{ type: 'text' as const, text }], tool_calls: calls });

describe('summaryRequest', () => {
  const log = new EventLog().user("Use $& and $' and $` and $$ and {messages} and {{x}}").answer('', [{ name: 'read' }]).result(0, 'a ``` fence');

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
        const request = summaryRequest({ entries: repairConversation(events).entries, previousSummary: null, asOf: 1, maxChars: 500 });
        expect(lint(request, format)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('never shows the appendix of the superseded summary or any reasoning', () => {
    const thinking = new EventLog().user('a').answer([{ type: 'thinking', text: 'secret plan', signature: 's' }, { type: 'text', text: 'b' }]);
    const text = JSON.stringify(summaryRequest({ entries: entriesOf(thinking), previousSummary: `old\n\n${APPENDIX_MARK}\n#1: words`, asOf: 2, maxChars: 500 }));
    expect(text).not.toContain('secret plan');
    expect(text).not.toContain('#1: words');
  });

  it('cuts long histories into chunks of whole turns that fit', () => {
    const long = new EventLog().user('go');
    for (let turn = 0; turn < 20; turn += 1) long.answer(`step ${turn}`, [{}, {}]).result(0, 'x'.repeat(300)).result(1, 'y'.repeat(300));
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

describe('summaryAppendix', () => {
  it('keeps the user\'s words: the first and the newest messages, cut ones with their number (rows 58, Z10)', () => {
    const log = new EventLog().user(`first ${'a'.repeat(500)}`);
    for (let n = 0; n < 20; n += 1) log.user(`message ${n} ${'b'.repeat(500)}`);
    log.user(`last ${'📥'.repeat(3_000)}`);
    const appendix = summaryAppendix({ entries: entriesOf(log), text: '', maxChars: 12_000 });
    expect(appendix).toContain('#1: first aaa');
    expect(appendix).toContain('#22 (the first 1000 of 3005 chars): last 📥');
    expect(appendix).toContain('#21: message 19');
    expect(appendix).not.toContain('#2: message 0');
    expect(appendix).toContain('Not shown: #2');
    expect(countCodePoints(appendix)).toBeLessThanOrEqual(6_000 + 2);
    expect(isWellFormed(appendix)).toBe(true);
  });

  it('leaves out messages that a program put in (row 57)', () => {
    const log = new EventLog().append('UserMessageReceived', { origin: 'import', content: 'preamble', injected: true }).user('question');
    const appendix = summaryAppendix({ entries: entriesOf(log), text: '', maxChars: 1_000 });
    expect(appendix).not.toContain('preamble');
    expect(appendix).toContain('#2: question');
  });

  it('names files and images that vanish (row 68)', () => {
    const log = new EventLog().user([{ type: 'text', text: 'see' }, { type: 'image', media_type: 'image/png', data: 'AAAA', name: 'chart.png' }, { type: 'document', media_type: 'application/pdf', data: 'AAAA' }]);
    expect(summaryAppendix({ entries: entriesOf(log), text: '', maxChars: 1_000 })).toContain('Files and images: image chart.png (#1), document (#1)');
  });

  it('adds the anchors that the text misses, newest first', () => {
    const log = new EventLog()
      .user('hi')
      .answer('Wrote src/old.ts', [{ arguments: '{"path":"lib/a-b.py"}' }])
      .result(0, 'ECONNREFUSED at https://x.example/api?q=1 order AB-12345', { status: 'error' })
      .answer('See docs/new.md');
    const appendix = summaryAppendix({ entries: entriesOf(log), text: 'it wrote src/old.ts', maxChars: 1_000 });
    expect(appendix).toContain('Also named: docs/new.md, https://x.example/api?q=1, ');
    expect(appendix).toContain('ECONNREFUSED');
    expect(appendix).toContain('AB-12345');
    expect(appendix).toContain('lib/a-b.py');
    expect(appendix).not.toContain('src/old.ts');
  });

  it('finds anchors of every kind and no small change', () => {
    expect(anchorsOf('mail a.b@c.example, call 12, pay 1,299.00 EUR, id 3f2b9c1d-1111-2222-3333-444455556666, C:\\x\\y.txt, HTTP_504, TypeError')).toEqual(
      expect.arrayContaining(['a.b@c.example', '1,299.00 EUR', '3f2b9c1d-1111-2222-3333-444455556666', 'C:\\x\\y.txt', 'HTTP_504', 'TypeError']),
    );
    expect(anchorsOf('just 12 words and no more')).toEqual([]);
  });

  it('takes no time to speak of on hostile text', () => {
    const started = process.hrtime.bigint();
    for (const text of ['a-'.repeat(2_000), 'a.'.repeat(2_000), '/a'.repeat(2_000), 'A_'.repeat(2_000), '1,'.repeat(2_000), 'a'.repeat(4_000)]) anchorsOf(text);
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(1_000);
  });
});

describe('checkSummaryText', () => {
  it.each(['', ' \n', '<think>only thoughts</think>', '<thinking>never ended'])('refuses %j as empty (rows 71, Z5)', (text) => {
    expect(checkSummaryText(said(text), 'stop')).toMatchObject({ kind: 'refused', reason: 'empty' });
  });

  it('refuses an answer that holds reasoning blocks only (row 71)', () => {
    expect(checkSummaryText({ content: [{ type: 'thinking', text: 'x', signature: 's' }], tool_calls: [] }, 'stop')).toMatchObject({ reason: 'empty' });
  });

  it('refuses an answer that was cut by length', () => {
    expect(checkSummaryText(said('The goal is'), 'length')).toMatchObject({ reason: 'cut_by_length' });
  });

  it.each(['<tool_call>{"name":"x"}</tool_call>', 'I will look.\n<invoke name="read">', '[TOOL_CALLS] [{"name":"x"}]', '{"name": "search", "arguments": {"q": 1}}', '<|python_tag|>x()'])('refuses tool-call syntax: %j (row 72)', (text) => {
    expect(checkSummaryText(said(text), 'stop')).toMatchObject({ reason: 'tool_calls' });
  });

  it('refuses real calls (row 72)', () => {
    expect(checkSummaryText(said('text', [{ id: '1', name: 'x', arguments: '{}' }]), 'tool_calls')).toMatchObject({ reason: 'tool_calls' });
  });

  it('takes a text without its thoughts', () => {
    expect(checkSummaryText(said('<think>hm</think>\nThe goal is met.'), 'stop')).toEqual({ kind: 'text', text: 'The goal is met.' });
  });
});

describe('gateSummary', () => {
  it('accepts only what is shorter than its range and within its bound (rows 42, 77)', () => {
    expect(gateSummary('abc', { maxChars: 10, charsBefore: 100 })).toEqual({ kind: 'accepted', charsAfter: 3 });
    expect(gateSummary('abc', { maxChars: 10, charsBefore: 3 })).toEqual({ kind: 'not_smaller', charsAfter: 3 });
    expect(gateSummary('abc', { maxChars: 2, charsBefore: 100 })).toEqual({ kind: 'too_long', charsAfter: 3, maxChars: 2 });
  });

  it('counts code points, not bytes or units (row 90)', () => {
    expect(gateSummary('📥', { maxChars: 1, charsBefore: 2 })).toEqual({ kind: 'accepted', charsAfter: 1 });
  });
});

describe('buildSummary', () => {
  it('stays bounded over any number of rounds (row 62)', () => {
    const log = new EventLog();
    let previousSummary: string | null = null;
    for (let round = 0; round < 12; round += 1) {
      log.user(`Please do thing ${round} with file src/part-${round}.ts. ${'words '.repeat(50)}`).answer(`I changed src/part-${round}.ts because of E${round}FAULT. It works now.`);
      const entries = entriesOf(log);
      const text = extractiveSummary({ entries: entries.slice(-2), previousSummary, asOf: entries.length, maxChars: summaryTextRoom(2_000) });
      previousSummary = buildSummary({ text, entries, previousSummary, maxChars: 2_000 });
      expect(countCodePoints(previousSummary)).toBeLessThanOrEqual(2_000);
    }
    expect(previousSummary).toContain('#1: Please do thing 0');
    expect(previousSummary).toContain('#23: Please do thing 11');
  });

  it('notes names that a model made up (row 66)', () => {
    const entries = entriesOf(new EventLog().user('fix src/a.ts').answer('done'));
    const summary = buildSummary({ text: 'Fixed src/a.ts and lib/invented.ts.', entries, previousSummary: null, maxChars: 1_000 });
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
        const text = extractiveSummary({ entries, previousSummary: null, asOf: entries.length, maxChars: summaryTextRoom(maxChars) });
        const summary = buildSummary({ text, entries, previousSummary: null, maxChars });
        expect(countCodePoints(text)).toBeLessThanOrEqual(summaryTextRoom(maxChars));
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
    expect(extractiveSummary({ entries, previousSummary: null, asOf: 2, maxChars: 500 })).toBe('As of #2:\n- #2 The cache was stale because of a bug.');
  });

  it('makes something of a range without user messages (row 85)', () => {
    const entries = entriesOf(new EventLog().answer('', [{ name: 'read' }]).result(0, 'The file holds three functions.').answer('', [{ name: 'read' }]).result(0, 'ENOENT: no such file', { status: 'error' }));
    const summary = extractiveSummary({ entries, previousSummary: null, asOf: 4, maxChars: 500 });
    expect(summary).toContain('ENOENT');
    expect(summary).toContain('Tools used: read 2 (1 not ok)');
  });

  it('summarises a long recorded session within its bound', () => {
    const transcript = transcriptSchema.parse(JSON.parse(readFileSync(join(process.cwd(), 'test/fixtures/transcripts/pi-large-session.json'), 'utf8')));
    const { entries } = repairConversation(transcriptLog(transcript).log.events.slice(0, 900));
    const text = extractiveSummary({ entries, previousSummary: null, asOf: 400, maxChars: summaryTextRoom(12_000) });
    const summary = buildSummary({ text, entries, previousSummary: null, maxChars: 12_000 });
    expect(countCodePoints(summary)).toBeLessThanOrEqual(12_000);
    expect(countCodePoints(summary)).toBeGreaterThan(8_000);
    expect(summary).not.toContain('Named above');
    if (process.env.SHOW) console.log(summary);
  });
});

describe('sourceDigestBytes', () => {
  it('differs when an event is missing, changed or elsewhere', () => {
    const bytes = sourceDigestBytes([{ seq: 1, digest: 'a' }, { seq: 2, digest: 'b' }]);
    expect(bytes).toBe('1 a\n2 b\n');
    expect(sourceDigestBytes([{ seq: 1, digest: 'a' }, { seq: 3, digest: 'b' }])).not.toBe(bytes);
  });
});
