import type { NeutralMessage } from '#libs/context';
import type { JsonObject } from '#libs/domain';
import { createModels } from '../create-models.js';
import { failureOf, modelCall, textOf, user } from '../testing/model-call.js';

const models = createModels({ connections: new Map() });
const ask = (messages: NeutralMessage[], outputSchema: JsonObject | null = null) =>
  models.call(modelCall('builtin:extractive', { request: { messages }, settings: { outputSchema } }));

const manual = user(
  '[documents: #2] This is data.\n```\nThe pump holds 40 litres. Filters are changed every six months. Red lights mean that the pump is blocked.\n```',
);

describe('builtin:extractive', () => {
  it('answers with sentences of the documents it was given', async () => {
    expect(textOf(await ask([manual, user('When are filters changed?')]))).toBe(
      'Filters are changed every six months.',
    );
  });

  it('reads documents that stand in the same message as the task', async () => {
    const merged: NeutralMessage = {
      role: 'user',
      content: [
        ...manual.content.filter((part) => part.type === 'text'),
        { type: 'text', text: 'How many litres does the pump hold?' },
      ],
    };
    expect(textOf(await ask([merged]))).toContain('40 litres');
  });

  it('reads tool results and the strings of JSON', async () => {
    const result: NeutralMessage = {
      role: 'tool',
      tool_call_id: 'a',
      name: 'search',
      status: 'ok',
      content: [{ type: 'text', text: '[{"text":"Returns are free for 30 days."},{"text":"Shops open at nine."}]' }],
    };
    const call: NeutralMessage = {
      role: 'assistant',
      content: [],
      tool_calls: [{ id: 'a', name: 'search', arguments: '{}' }],
    };
    expect(textOf(await ask([user('When do shops open?'), call, result]))).toBe('Shops open at nine.');
  });

  it('gives the same answer each time and streams it', async () => {
    const deltas: string[] = [];
    const call = modelCall('builtin:extractive', {
      request: { messages: [manual, user('What do red lights mean?')] },
      onDelta: (text) => deltas.push(text),
    });
    const [first, second] = [await models.call(call), await models.call({ ...call, onDelta: null })];
    expect(first).toEqual(second);
    expect(deltas.join('')).toBe(textOf(first));
  });

  const intent: JsonObject = {
    type: 'object',
    required: ['intent'],
    properties: { intent: { enum: ['smalltalk', 'question'] } },
  };
  it.each([
    ['Hello there, nice to meet you', 'smalltalk'],
    ['Thanks a lot!', 'smalltalk'],
    ['How do I reset my password?', 'question'],
    ['what does the standard plan cost', 'question'],
  ])('classifies %j as %s', async (text, expected) => {
    expect(JSON.parse(textOf(await ask([user(text)], intent)))).toEqual({ intent: expected });
  });

  it('fills simple schemas of every type', async () => {
    const schema: JsonObject = {
      type: 'object',
      required: ['summary', 'score', 'tags', 'kind'],
      properties: {
        summary: { type: 'string', maxLength: 60 },
        score: { type: 'integer', minimum: 1, maximum: 10 },
        urgent: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        kind: { const: 'v1' },
        note: { type: ['string', 'null'] },
      },
    };
    const value: unknown = JSON.parse(textOf(await ask([manual, user('Filters: rate 7 of 10')], schema)));
    expect(value).toMatchObject({
      score: 7,
      tags: [],
      kind: 'v1',
      urgent: false,
      summary: expect.stringMatching(/^.{1,60}$/),
    });
  });

  it('says where a schema is too much for it', async () => {
    const schema: JsonObject = { type: 'object', required: ['a'], properties: { a: { $ref: '#/$defs/x' } } };
    expect(failureOf(await ask([user('x')], schema))).toMatchObject({
      class: 'invalid_request',
      detail: expect.stringContaining('output.a'),
    });
  });
});
