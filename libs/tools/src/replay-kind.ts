import type { RecordedCall, RecordedCalls, ToolOutcome } from '#libs/engine';
import { toolError } from './results/tool-error.js';
import { DEFAULT_TOOL_TIMEOUT_MS, type ToolKindAdapter } from './tool-kind-adapter.js';

/** `kind: replay`: results out of a recorded session, by the place of the call. */
export function replayKind(recorded: RecordedCalls): ToolKindAdapter {
  return {
    resolve(name, definition) {
      if (definition?.kind !== 'replay') return { ok: false, detail: 'it names no recording' };
      return {
        ok: true,
        tool: {
          name,
          declaration: { name, description: definition.description ?? '', parameters: definition.parameters ?? {} },
          effect: definition.effect ?? 'read_only',
          primaryArgument: definition.primaryArgument,
          timeoutMs: definition.timeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
          requiresApproval: definition.requiresApproval,
          isRecorded: true,
        },
      };
    },
    async invoke({ definition, position, tool }) {
      if (definition?.kind !== 'replay') return toolError(`${tool.name} names no recording.`);
      return outcomeOf(await recorded(definition.recording, position), position.ordinal);
    },
  };
}

function outcomeOf(found: RecordedCall, ordinal: number): ToolOutcome {
  switch (found.status) {
    case 'missing':
      return toolError(`${found.detail}.`);
    case 'ended':
      return toolError('the recording has no such call.');
    case 'call': {
      const result = found.call.results[ordinal];
      if (result === undefined) return toolError('the recorded answer has no such tool call.');
      if (result === null) return { status: 'recorded', result };
      const status = result.status === 'ok' ? 'ok' : 'error';
      return { status: 'recorded', result: { status, content: result.content } };
    }
  }
}
