import { randomUUID } from 'node:crypto';
import type { AppendResult, EventLog, Fence } from '#libs/engine';
import { memory, PROJECT, userMessage } from '../integration/event-store/seed.js';

export type EventLogUnderTest = {
  log: EventLog;
  /** A fence that holds: of a step run that is running. */
  runningStep: () => Promise<Fence>;
  /** The step's counters, as the fence names it. */
  modelCalls: (fence: Fence) => Promise<number>;
};

/** What every EventLog must do. `subject` is called after the suite's `beforeAll` hooks ran. */
export function describeEventLog(subject: () => EventLogUnderTest): void {
  const stream = (): string => `stream-${randomUUID()}`;
  const seqs = (result: AppendResult | undefined): number[] =>
    result?.status === 'appended' ? result.events.map((one) => one.seq) : [];

  it('numbers events gaplessly from 1 and entries apart from them', async () => {
    const { log } = subject();
    const streamId = stream();
    const [result] = await log.append([
      { projectId: PROJECT, streamId, events: [userMessage('a'), memory('k', 'v'), userMessage('b')] },
    ]);
    expect(result).toMatchObject({ status: 'appended', version: 3, repeated: false });
    expect(seqs(result)).toEqual([1, 2, 3]);
    const events = await log.read({ projectId: PROJECT, streamId });
    expect(events.map((one) => one.entry)).toEqual([1, null, 2]);
    expect(events.map((one) => one.type)).toEqual(['UserMessageReceived', 'MemoryWritten', 'UserMessageReceived']);
    expect(events[2]?.data).toEqual({ origin: 'user', content: 'b' });
    expect(events[2]?.cursor).toBe(`${events[2]?.cursor.split('-')[0] ?? ''}-${events[2]?.position ?? 0}`);
    expect(events[2]?.recordedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    expect(await log.version(PROJECT, streamId)).toEqual({ streamId, version: 3, entries: 2, erasures: 0 });
  });

  it('reads what is asked for: of one run, single places, one entry', async () => {
    const { log } = subject();
    const streamId = stream();
    const ofRun = { ...userMessage('c'), runId: 'run_read' };
    await log.append([{ projectId: PROJECT, streamId, events: [userMessage('a'), memory('k', 'v'), ofRun] }]);
    const read = async (query: object): Promise<number[]> =>
      (await log.read({ projectId: PROJECT, streamId, ...query })).map(({ seq }) => seq);
    expect(await read({ runId: 'run_read' })).toEqual([3]);
    expect(await read({ seqs: [2, 3, 9] })).toEqual([2, 3]);
    expect(await read({ seqs: [] })).toEqual([]);
    expect(await read({ entry: 2 })).toEqual([3]);
    expect(await read({ entry: 2, afterSeq: 3 })).toEqual([]);
  });

  it('knows no version of a stream that was never written', async () => {
    expect(await subject().log.version(PROJECT, stream())).toBeNull();
  });

  it('leaves no gap with 20 appenders of 20 events on one stream', async () => {
    const { log } = subject();
    const streamId = stream();
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let n = 0; n < 20; n += 1) {
          const [result] = await log.append([{ projectId: PROJECT, streamId, events: [userMessage(`m${n}`)] }]);
          expect(result?.status).toBe('appended');
        }
      }),
    );
    const events = await log.read({ projectId: PROJECT, streamId });
    expect(events.map((one) => one.seq)).toEqual(Array.from({ length: 400 }, (_, index) => index + 1));
    expect(events.map((one) => one.entry)).toEqual(events.map((one) => one.seq));
  });

  it('numbers several units of one stream in one call one after the other', async () => {
    const { log } = subject();
    const streamId = stream();
    const results = await log.append([
      { projectId: PROJECT, streamId, events: [userMessage('1'), memory('a', '2')] },
      { projectId: PROJECT, streamId, events: [userMessage('3')] },
      { projectId: PROJECT, streamId, events: [memory('b', '4'), userMessage('5')], expectedVersion: 3 },
      { projectId: PROJECT, streamId, events: [userMessage('6')] },
    ]);
    expect(results.map(seqs)).toEqual([[1, 2], [3], [4, 5], [6]]);
    const events = await log.read({ projectId: PROJECT, streamId });
    const places = results.flatMap((result) => (result.status === 'appended' ? result.events : []));
    expect(places).toEqual(
      events.map((one) => ({ eventId: one.eventId, seq: one.seq, entry: one.entry, position: one.position })),
    );
  });

  it('refuses a version that moved on and tells the one that holds', async () => {
    const { log } = subject();
    const streamId = stream();
    await log.append([{ projectId: PROJECT, streamId, events: [memory('a', '1'), memory('a', '2')] }]);
    expect(
      await log.append([{ projectId: PROJECT, streamId, events: [memory('a', '3')], expectedVersion: 1 }]),
    ).toEqual([{ status: 'version_conflict', version: 2 }]);
    expect(
      await log.append([{ projectId: PROJECT, streamId: stream(), events: [memory('a', '3')], expectedVersion: 4 }]),
    ).toEqual([{ status: 'version_conflict', version: 0 }]);
    expect(
      await log.append([{ projectId: PROJECT, streamId, events: [memory('a', '3')], expectedVersion: 0 }]),
    ).toEqual([{ status: 'version_conflict', version: 2 }]);
    expect(
      await log.append([{ projectId: PROJECT, streamId, events: [memory('a', '3')], expectedVersion: 2 }]),
    ).toMatchObject([{ status: 'appended', version: 3 }]);
  });

  it('lets one of many writers with the same expected version through', async () => {
    const { log } = subject();
    const streamId = stream();
    const results = await Promise.all(
      Array.from({ length: 20 }, () =>
        log.append([{ projectId: PROJECT, streamId, events: [memory('a', '1')], expectedVersion: 0 }]),
      ),
    );
    const statuses = results.flat().map((result) => result.status);
    expect(statuses.filter((status) => status === 'appended')).toHaveLength(1);
    expect(statuses.filter((status) => status === 'version_conflict')).toHaveLength(19);
  });

  it('refuses a writer whose fence does not hold, and counts usage of one whose does', async () => {
    const { log, runningStep, modelCalls } = subject();
    const fence = await runningStep();
    const streamId = stream();
    const usage = {
      usage: { input_tokens: 10, cached_tokens: 4, cache_write_tokens: 0, output_tokens: 3 },
      costUsd: 0.25,
      modelCalls: 1,
      toolCalls: 2,
    };
    const unit = (held: Fence) => ({ projectId: PROJECT, streamId, events: [memory('a', '1')], fence: held, usage });
    expect(await log.append([unit({ ...fence, fence: fence.fence - 1 })])).toEqual([{ status: 'fenced_out' }]);
    expect(await log.append([unit({ ...fence, id: 'nobody' })])).toEqual([{ status: 'fenced_out' }]);
    expect(await log.version(PROJECT, streamId)).toBeNull();
    expect(await modelCalls(fence)).toBe(0);
    const results = await log.append([unit(fence), unit(fence)]);
    expect(results.map(seqs)).toEqual([[1], [2]]);
    expect(await modelCalls(fence)).toBe(2);
  });

  it('answers a mixed batch per unit', async () => {
    const { log, runningStep } = subject();
    const fence = await runningStep();
    const [good, moved, fenced, repeated] = [stream(), stream(), stream(), stream()];
    const stored = memory('a', '1');
    await log.append([{ projectId: PROJECT, streamId: repeated, events: [stored] }]);
    const results = await log.append([
      { projectId: PROJECT, streamId: good, events: [memory('a', '1')], fence },
      { projectId: PROJECT, streamId: moved, events: [memory('a', '1')], expectedVersion: 7 },
      { projectId: PROJECT, streamId: fenced, events: [memory('a', '1')], fence: { ...fence, fence: 99 } },
      { projectId: PROJECT, streamId: repeated, events: [stored] },
      {
        projectId: PROJECT,
        streamId: repeated,
        events: [{ ...stored, data: { key: 'a', value: 'other' }, digest: 'other' }],
      },
      { projectId: PROJECT, streamId: good, events: [memory('a', '2')], fence },
    ]);
    expect(results.map((result) => result.status)).toEqual([
      'appended',
      'version_conflict',
      'fenced_out',
      'appended',
      'id_conflict',
      'appended',
    ]);
    expect(results[3]).toMatchObject({ repeated: true, events: [{ seq: 1 }] });
    expect(results[4]).toMatchObject({ eventId: stored.eventId });
    expect(await log.version(PROJECT, good)).toMatchObject({ version: 2 });
    expect(await log.version(PROJECT, fenced)).toBeNull();
  });

  it('returns the stored places when the same events come again, whatever their conditions', async () => {
    const { log } = subject();
    const streamId = stream();
    const events = [userMessage('a'), memory('k', 'v')];
    const [first] = await log.append([{ projectId: PROJECT, streamId, events, expectedVersion: 0 }]);
    const [again] = await log.append([{ projectId: PROJECT, streamId, events, expectedVersion: 0 }]);
    expect(again).toEqual({ ...first, repeated: true });
  });

  it('appends what is missing when a part of a unit is stored', async () => {
    const { log } = subject();
    const streamId = stream();
    const [a, b] = [userMessage('a'), userMessage('b')];
    await log.append([{ projectId: PROJECT, streamId, events: [a] }]);
    const [result] = await log.append([{ projectId: PROJECT, streamId, events: [a, b] }]);
    expect(result).toMatchObject({ status: 'appended', version: 2, repeated: false, events: [{ seq: 1 }, { seq: 2 }] });
  });

  it('stores an event once when many send it at the same time, also beside others', async () => {
    const { log } = subject();
    const streamId = stream();
    const shared = userMessage('shared');
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        log.append([
          { projectId: PROJECT, streamId, events: [shared] },
          { projectId: PROJECT, streamId: `${streamId}-${n}`, events: [userMessage('own')] },
        ]),
      ),
    );
    expect(new Set(results.map(([first]) => seqs(first)[0]))).toEqual(new Set([1]));
    expect(results.every(([, own]) => own?.status === 'appended')).toBe(true);
    expect(await log.read({ projectId: PROJECT, streamId })).toHaveLength(1);
  });

  it('tells an id that a unit uses twice', async () => {
    const one = memory('a', '1');
    expect(await subject().log.append([{ projectId: PROJECT, streamId: stream(), events: [one, one] }])).toEqual([
      { status: 'id_conflict', eventId: one.eventId },
    ]);
  });

  it('does not deadlock when flights over 50 streams come in opposite orders', async () => {
    const { log } = subject();
    const streams = Array.from({ length: 50 }, stream);
    const flight = (order: string[]) =>
      log.append(order.map((streamId) => ({ projectId: PROJECT, streamId, events: [memory('a', '1')] })));
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, n) => flight(n % 2 === 0 ? streams : [...streams].reverse())),
    );
    expect(results.flat().every((result) => result.status === 'appended')).toBe(true);
    expect(await log.version(PROJECT, streams[0] ?? '')).toMatchObject({ version: 40 });
  });

  it('keeps bodies of any size and any string', async () => {
    const { log } = subject();
    const streamId = stream();
    const texts = [
      '\u0000',
      '\u0010',
      'a\ud800b',
      '\udfff',
      '\\u0000',
      'x\u00100000',
      '😀',
      'y'.repeat(40_000),
      `\u0000${'z'.repeat(40_000)}\udc00`,
    ];
    const events = texts.map((text) => memory(text.slice(0, 20), text));
    await log.append([{ projectId: PROJECT, streamId, events }]);
    const read = await log.read({ projectId: PROJECT, streamId });
    // Compared one by one, so that a failure does not print the large ones.
    expect(
      read.map(
        (one, n) =>
          one.type === 'MemoryWritten' && one.data.value === texts[n] && one.data.key === texts[n]?.slice(0, 20),
      ),
    ).toEqual(texts.map(() => true));
  });

  it('reads ranges, types, limits and backwards', async () => {
    const { log } = subject();
    const streamId = stream();
    await log.append([
      {
        projectId: PROJECT,
        streamId,
        events: [userMessage('1'), memory('a', '2'), userMessage('3'), memory('a', '4')],
      },
    ]);
    const seqsOf = async (query: object) =>
      (await log.read({ projectId: PROJECT, streamId, ...query })).map((one) => one.seq);
    expect(await seqsOf({ afterSeq: 1, uptoSeq: 3 })).toEqual([2, 3]);
    expect(await seqsOf({ types: ['MemoryWritten'] })).toEqual([2, 4]);
    expect(await seqsOf({ types: [] })).toEqual([]);
    expect(await seqsOf({ limit: 2 })).toEqual([1, 2]);
    expect(await seqsOf({ descending: true, limit: 2 })).toEqual([4, 3]);
    expect(await log.read({ projectId: 'other', streamId })).toEqual([]);
  });

  it('keeps payloads under their hash', async () => {
    const { log } = subject();
    const body = { b: [1, 2, { c: '\u0000' }], a: 'x'.repeat(40_000) };
    const hash = randomUUID();
    await Promise.all([log.putPayload(PROJECT, hash, body), log.putPayload(PROJECT, hash, body)]);
    expect(await log.getPayload(PROJECT, hash)).toEqual(body);
    await expect(log.getPayload('other', hash)).rejects.toMatchObject({ code: 'payload_missing' });
  });
}
