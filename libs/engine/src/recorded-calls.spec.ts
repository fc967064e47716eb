import type { Json, StoredEvent } from '#libs/domain';
import type { CallPosition } from './ports/model.port.js';
import { recordedCalls } from './recorded-calls.js';

const session: Json = {
  messages: [
    { role: 'user', content: 'read it' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', name: 'read', arguments: '{}' }] },
    { role: 'tool', tool_call_id: 'a', name: 'read', content: 'page' },
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'again' },
    { role: 'assistant', content: 'gone', meta: { stop_reason: 'aborted' } },
  ],
};

/** A log in which these runs wrote their task, in this order. */
const logOf = (...runs: string[]) => {
  const reads: string[] = [];
  const events = runs.map((runId) => ({ type: 'UserMessageReceived', runId }) as StoredEvent);
  return {
    reads,
    read: ({ streamId }: { streamId: string }) => {
      reads.push(streamId);
      return Promise.resolve(events);
    },
  };
};

const position = (runId: string, callNo: number): CallPosition => ({
  projectId: 'p',
  streamId: 's',
  runId,
  stepId: 'chat',
  item: null,
  callNo,
  try: 1,
});

const recordings = {
  hash: async (project: string, name: string) => (await recordings.get(project, name))?.hash ?? null,
  get: (_: string, name: string) =>
    Promise.resolve(
      name === 'session'
        ? { hash: 'h1', body: session }
        : name === 'junk'
          ? { hash: 'h2', body: { messages: 7 } }
          : null,
    ),
};

describe('recorded calls', () => {
  it('are found by the place of the run on its sub-stream and of the call in the run', async () => {
    const log = logOf('run_1', 'run_1', 'run_2');
    const call = recordedCalls({ recordings, log });
    expect(await call('session', position('run_1', 2))).toMatchObject({
      status: 'call',
      call: { outcome: { kind: 'completed', finishReason: 'stop' } },
    });
    expect(await call('session', position('run_2', 1))).toMatchObject({
      status: 'call',
      call: { outcome: { kind: 'failed', reason: 'aborted' } },
    });
    expect(log.reads).toEqual(['s:step:chat', 's:step:chat']);
    await call('session', position('run_2', 1));
    expect(log.reads).toHaveLength(2);
  });

  it('say when the run ended before', async () => {
    const call = recordedCalls({ recordings, log: logOf('run_1') });
    expect(await call('session', position('run_1', 3))).toEqual({ status: 'ended', end: 'succeeded' });
  });

  it('say what is missing', async () => {
    const call = recordedCalls({ recordings, log: logOf('a', 'b', 'c') });
    expect(await call('nowhere', position('a', 1))).toMatchObject({
      status: 'missing',
      detail: expect.stringContaining('PUT /v1/recordings/nowhere'),
    });
    expect(await call('junk', position('a', 1))).toMatchObject({
      status: 'missing',
      detail: expect.stringContaining('messages'),
    });
    expect(await call('session', position('c', 1))).toMatchObject({
      status: 'missing',
      detail: expect.stringContaining('has 2 runs, this is run 3'),
    });
  });
});
