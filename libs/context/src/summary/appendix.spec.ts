import { countCodePoints, isWellFormed, repairConversation } from '../shape/index.js';
import { EventLog } from '../testing/event-log.js';
import { anchorsOf } from './anchors.js';
import { summaryAppendix } from './appendix.js';

const entriesOf = (log: EventLog) => repairConversation(log.events).entries;

describe('summaryAppendix', () => {
  it("keeps the user's words: the first and the newest messages, cut ones with their number (rows 58, Z10)", () => {
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

  it('shows the beginning of the first message where not even one fits, and no heading without a message', () => {
    const log = new EventLog().user(`first ${'a'.repeat(900)}`).user(`second ${'b'.repeat(900)}`);
    const small = (maxChars: number) => summaryAppendix({ entries: entriesOf(log), text: '', maxChars });
    expect(small(300)).toMatch(/#1 \(the first \d+ of 906 chars\): first aaa/u);
    expect(small(60)).toBe('');
    for (let maxChars = 0; maxChars < 1_200; maxChars += 7)
      expect(countCodePoints(small(maxChars))).toBeLessThanOrEqual(maxChars);
  });

  it('leaves out messages that a program put in (row 57)', () => {
    const log = new EventLog()
      .append('UserMessageReceived', { origin: 'import', content: 'preamble', injected: true })
      .user('question');
    const appendix = summaryAppendix({ entries: entriesOf(log), text: '', maxChars: 1_000 });
    expect(appendix).not.toContain('preamble');
    expect(appendix).toContain('#2: question');
  });

  it('names files and images that vanish (row 68)', () => {
    const log = new EventLog().user([
      { type: 'text', text: 'see' },
      { type: 'image', media_type: 'image/png', data: 'AAAA', name: 'chart.png' },
      { type: 'document', media_type: 'application/pdf', data: 'AAAA' },
    ]);
    expect(summaryAppendix({ entries: entriesOf(log), text: '', maxChars: 1_000 })).toContain(
      'Files and images: image chart.png (#1), document (#1)',
    );
  });

  it('adds the anchors that the text misses, newest first where all tell as much', () => {
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

  it('keeps what was named once, in few words, before what a listing holds and what is named all the time', () => {
    const listing = Array.from({ length: 60 }, (_, n) => `lib/generated/file_${n}.ts`).join('\n');
    const log = new EventLog().user('hi').answer('The ticket is INC-48213.', []);
    for (let n = 0; n < 12; n += 1)
      log
        .answer(`Again src/app/main.ts, now part ${n}.`, [{ arguments: '{"path":"src/app/main.ts"}' }])
        .result(0, listing);
    log.answer('Paid 41,200.50 EUR.');
    const appendix = summaryAppendix({ entries: entriesOf(log), text: '', maxChars: 120 });
    expect(appendix).toContain('INC-48213');
    expect(appendix).toContain('41,200.50 EUR');
  });

  it('leaves room for anchors beside as many messages as may be', () => {
    const log = new EventLog();
    for (let n = 0; n < 30; n += 1) log.user(`message ${n} ${'b'.repeat(500)}`);
    log.answer('The ticket is INC-48213.');
    const appendix = summaryAppendix({ entries: entriesOf(log), text: '', maxChars: 6_000 });
    expect(appendix).toContain('INC-48213');
    expect(countCodePoints(appendix)).toBeLessThanOrEqual(6_000);
  });

  it('finds anchors of every kind and no small change', () => {
    expect(
      anchorsOf(
        'mail a.b@c.example, call 12, pay 1,299.00 EUR, id 3f2b9c1d-1111-2222-3333-444455556666, C:\\x\\y.txt, HTTP_504, TypeError',
      ),
    ).toEqual(
      expect.arrayContaining([
        'a.b@c.example',
        '1,299.00 EUR',
        '3f2b9c1d-1111-2222-3333-444455556666',
        'C:\\x\\y.txt',
        'HTTP_504',
        'TypeError',
      ]),
    );
    expect(anchorsOf('just 12 words and no more')).toEqual([]);
  });

  it('takes no time to speak of on hostile text', () => {
    const started = process.hrtime.bigint();
    for (const text of [
      'a-'.repeat(2_000),
      'a.'.repeat(2_000),
      '/a'.repeat(2_000),
      'A_'.repeat(2_000),
      '1,'.repeat(2_000),
      'a'.repeat(4_000),
    ])
      anchorsOf(text);
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(1_000);
  });
});
