import type { RecordedCall } from '#libs/engine';
import { createModels } from '../create-models.js';
import { connection } from '../testing/connection.js';
import { answerOf, failureOf, modelCall } from '../testing/model-call.js';

const message = {
  content: [{ type: 'text' as const, text: 'Hi.' }],
  tool_calls: [{ id: 'a', name: 'read', arguments: '{"b":1}' }],
};
const none = { content: [], tool_calls: [] };
const call = (outcome: Extract<RecordedCall, { status: 'call' }>['call']['outcome']): RecordedCall => ({
  status: 'call',
  call: { call: 7, messageIndex: 12, callNo: 1, model: null, outcome, results: [] },
});

const recordings: { [name: string]: RecordedCall } = {
  answered: call({ kind: 'completed', message, finishReason: 'tool_calls' }),
  changed: {
    status: 'call',
    call: {
      call: 8,
      messageIndex: 14,
      callNo: 2,
      model: 'other-model',
      outcome: { kind: 'completed', message, finishReason: 'stop' },
      results: [],
    },
  },
  aborted: call({ kind: 'failed', reason: 'aborted', detail: 'recorded as aborted', partial: message }),
  empty: call({ kind: 'failed', reason: 'empty', detail: 'neither text nor calls', partial: none }),
  failed: call({ kind: 'failed', reason: 'error', detail: 'overloaded', partial: none }),
  cut: { status: 'ended', end: 'cancelled' },
  over: { status: 'ended', end: 'succeeded' },
};
const asked: unknown[] = [];
const models = createModels({
  connections: new Map([['anthropic', connection('anthropic', { provider: 'anthropic' })]]),
  recorded: (name, position) => {
    asked.push([name, position.runId, position.callNo]);
    return Promise.resolve(recordings[name] ?? { status: 'missing', detail: `there is no recording ${name}` });
  },
});

describe('a replayed model', () => {
  it('answers what was recorded at the position, without usage', async () => {
    const deltas: string[] = [];
    const outcome = answerOf(
      await models.call(
        modelCall('replay:answered', { position: { callNo: 3 }, onDelta: (text) => deltas.push(text) }),
      ),
    );
    expect(outcome).toMatchObject({ message, finishReason: 'tool_calls', usage: null, costUsd: null, wireHash: null });
    expect(asked).toContainEqual(['answered', 'run_1', 3]);
    expect(deltas).toEqual(['Hi.']);
  });

  it.each([
    ['aborted', { class: 'aborted', partial: message }],
    ['empty', { class: 'aborted', partial: null }],
    ['failed', { class: 'recorded_failure', detail: 'Recorded: overloaded' }],
    ['cut', { class: 'aborted', detail: 'The recorded session stops here.' }],
    ['over', { class: 'invalid_request' }],
    ['nowhere', { class: 'invalid_request', detail: 'replay: there is no recording nowhere.' }],
  ])('fails as the recording did: %s', async (name, expected) => {
    expect(failureOf(await models.call(modelCall(`replay:${name}`)))).toMatchObject(expected);
  });

  it('is asked before each call what it is there', async () => {
    const { position } = modelCall('replay:answered');
    expect(await models.at('replay:answered', position)).toMatchObject({
      kind: 'call',
      facts: { id: 'replay:answered' },
    });
    expect(await models.at('replay:changed', position)).toMatchObject({ kind: 'call', facts: { id: 'other-model' } });
    expect(await models.at('replay:cut', position)).toEqual({ kind: 'ended', end: 'cancelled' });
    expect(await models.at('replay:nowhere', position)).toEqual({
      kind: 'unknown',
      detail: 'replay: there is no recording nowhere.',
    });
    expect(await models.at('builtin:extractive', position)).toMatchObject({
      kind: 'call',
      facts: { id: 'builtin:extractive' },
    });
  });

  it('has plain facts, or those of a model and form that its name gives', () => {
    expect(models.facts('replay:answered')).toMatchObject({
      facts: {
        id: 'replay:answered',
        apiFormat: 'openai_chat',
        windowTokens: null,
        promptCaching: true,
        cacheReadRatio: 0.1,
        cacheWriteRatio: 1.25,
      },
    });
    const name = 'replay:answered?model=anthropic:claude-sonnet-4-5&api_format=anthropic_thinking';
    expect(models.facts(name)).toMatchObject({
      facts: { id: name, apiFormat: 'anthropic_thinking', windowTokens: 200_000, priceOutput: 15 },
    });
  });

  it.each([
    ['replay:answered?model=nowhere:x', 'no connection nowhere'],
    ['replay:answered?api_format=telex', 'is not a recording'],
    ['replay:../x', 'is not a recording'],
  ])('is refused under the name %s', (name, expected) => {
    expect(models.facts(name)).toMatchObject({ ok: false, detail: expect.stringContaining(expected) });
  });
});
