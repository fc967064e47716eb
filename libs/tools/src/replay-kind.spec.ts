import type { ToolDefinition } from '#libs/domain';
import { createTools } from './create-tools.js';
import { toolInvocation } from './testing/tool-invocation.js';

const definition: Extract<ToolDefinition, { kind: 'replay' }> = {
  name: 'bash',
  kind: 'replay',
  recording: 'session',
  description: null,
  parameters: null,
  effect: null,
  timeoutMs: null,
  requiresApproval: false,
  primaryArgument: null,
  onUnknownOutcome: 'fail',
};

const tools = createTools({
  recorded: (recording, { callNo }) =>
    Promise.resolve(
      recording !== 'session' || callNo > 1
        ? { status: 'ended', end: 'succeeded' }
        : {
            status: 'call',
            call: {
              call: 1,
              messageIndex: 1,
              callNo: 1,
              model: null,
              outcome: { kind: 'completed', message: { content: [], tool_calls: [] }, finishReason: 'tool_calls' },
              results: [
                { messageIndex: 2, status: 'ok', content: 'listing' },
                { messageIndex: 3, status: 'error', content: [{ type: 'text', text: 'exit 1' }] },
                null,
              ],
            },
          },
    ),
});

function resolvedTool() {
  const resolution = tools.resolve('bash', definition);
  if (!resolution.ok) throw new Error(resolution.detail);
  return resolution.tool;
}

const play = (ordinal: number, callNo = 1) =>
  tools.invoke(toolInvocation(resolvedTool(), {}, { definition, position: { ordinal, callNo } }));

describe('a replayed tool', () => {
  it('gives what was recorded at the place of the call', async () => {
    expect(await play(0)).toEqual({ status: 'recorded', result: { status: 'ok', content: 'listing' } });
    expect(await play(1)).toEqual({
      status: 'recorded',
      result: { status: 'error', content: [{ type: 'text', text: 'exit 1' }] },
    });
    expect(await play(2)).toEqual({ status: 'recorded', result: null });
  });

  it('says when nothing was recorded there', async () => {
    expect(await play(3)).toMatchObject({ status: 'error', content: expect.stringContaining('no such tool call') });
    expect(await play(0, 2)).toMatchObject({ status: 'error', content: expect.stringContaining('no such call') });
  });

  it('is marked, so that arguments and repetitions do not count', () => {
    expect(resolvedTool()).toMatchObject({ isRecorded: true, effect: 'read_only' });
  });

  it('is not there without recordings', () => {
    expect(createTools({}).resolve('bash', definition)).toMatchObject({ ok: false });
  });
});
