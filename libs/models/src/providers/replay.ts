import type { AssistantMessage } from '#libs/domain';
import type { ModelCall, ModelOutcome, RecordedCall, RecordedCalls } from '#libs/engine';
import { modelFailure } from '../outcome/model-failure.js';
import { parseReplayName } from './replay-name.js';
import type { NamedAt, Provider } from './provider.js';

type RecordedOutcome = Extract<RecordedCall, { status: 'call' }>['call']['outcome'];
type RecordedFailure = Extract<RecordedOutcome, { kind: 'failed' }>;

/** `replay:<recording>`: answers as a recorded session did, by call position, without usage or cost. */
export function replay(recorded: RecordedCalls): Provider {
  return {
    check: (name) =>
      parseReplayName(name) === null
        ? `${JSON.stringify(name)} is not a recording: expected <name>, or <name>?model=<connection:model>&api_format=<format>`
        : null,
    likeness: parseReplayName,
    at: async (name, position) => modelAt(await recorded(recordingOf(name), position)),
    async call(call, target) {
      const found = await recorded(recordingOf(target.name), call.position);
      if (call.signal.aborted) return modelFailure('aborted', 'The call was cancelled.');
      return outcomeOf(found, call);
    },
  };
}

const recordingOf = (name: string): string => parseReplayName(name)?.recording ?? name;

function modelAt(found: RecordedCall): NamedAt {
  switch (found.status) {
    case 'missing':
      return { kind: 'unknown', detail: `replay: ${found.detail}.` };
    case 'ended':
      return { kind: 'ended', end: found.end };
    case 'call':
      return { kind: 'call', model: found.call.model };
  }
}

function outcomeOf(found: RecordedCall, call: ModelCall): ModelOutcome {
  switch (found.status) {
    case 'missing':
      return modelFailure('invalid_request', `replay: ${found.detail}.`);
    case 'ended':
      // What a session left open was cancelled there: so is the run that plays it.
      if (found.end === 'cancelled') return modelFailure('aborted', 'The recorded session stops here.');
      return modelFailure(
        'invalid_request',
        `replay: the recorded run ${found.end} before call ${call.position.callNo}.`,
      );
    case 'call': {
      const { outcome } = found.call;
      return outcome.kind === 'failed' ? failed(outcome) : answered(outcome.message, outcome.finishReason, call);
    }
  }
}

function failed({ reason, detail, partial }: RecordedFailure): ModelOutcome {
  const isEmpty = partial.content.length === 0 && partial.tool_calls.length === 0;
  const received = { partial: isEmpty ? null : partial };
  switch (reason) {
    case 'aborted':
    case 'empty':
      return modelFailure('aborted', `Recorded: ${detail}.`, received);
    case 'error':
      return modelFailure('recorded_failure', `Recorded: ${detail}`, received);
  }
}

type Answer = Extract<ModelOutcome, { kind: 'answer' }>;

function answered(message: AssistantMessage, finishReason: Answer['finishReason'], call: ModelCall): Answer {
  for (const part of message.content) if (part.type === 'text') call.onDelta?.(part.text);
  return { kind: 'answer', message, finishReason, usage: null, costUsd: null, wireHash: null, providerPayload: null };
}
