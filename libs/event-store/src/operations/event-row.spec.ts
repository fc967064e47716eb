import { viewEvent } from './event-row.js';

const answer = { origin: 'user', content: 'Hello.' };
const rest = (...values: unknown[]): string => JSON.stringify(values);

describe('viewEvent', () => {
  it('takes places and sizes out of the JSON beside the body', () => {
    const event = viewEvent(['UserMessageReceived', 'run_1', null, rest(7, 1, 2, 3, 6, answer)]);
    expect(event).toEqual({
      type: 'UserMessageReceived',
      data: answer,
      seq: 7,
      runId: 'run_1',
      round: 2,
      entry: 3,
      chars: 6,
      isOutline: false,
    });
  });

  it('puts the long text back into its body, in which NUL may stand', () => {
    const body = { call_no: 1, ordinal: 0, tool_call_id: 'a', name: 'read', status: 'ok', argument: null };
    const event = viewEvent(['ToolCallCompleted', null, 'a\u00100000b', rest(7, 1, 0, 3, 3, body)]);
    expect(event).toMatchObject({ runId: null, data: { ...body, content: 'a\0b' }, isOutline: false });
  });

  it.each([
    ['a place that is no exact number', '[9007199254740993,1,0,1,1,{}]'],
    ['an entry that is no exact number', '[1,1,0,9007199254740993,1,{}]'],
    ['a size that is no exact number', '[1,1,0,1,9007199254740993,{}]'],
    ['a body that was lost', '[1,1,0,1,1,null]'],
    ['a body that does not fit its type', '[1,1,0,1,1,{"origin":"user"}]'],
    ['data of a newer Weir', `[1,99,0,1,1,${JSON.stringify(answer)}]`],
  ])('refuses %s', (_what, stored) => {
    expect(() => viewEvent(['UserMessageReceived', null, null, stored])).toThrow(
      expect.objectContaining({ code: 'event_unreadable' }),
    );
  });

  it('refuses a type that this build does not know', () => {
    expect(() => viewEvent(['MessageForgotten', null, null, rest(1, 1, 0, 1, 1, answer)])).toThrow(
      expect.objectContaining({ code: 'event_unreadable' }),
    );
  });
});
