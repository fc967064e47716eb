import { extractiveAnswer } from '#libs/context';
import type { ModelCall, ModelOutcome } from '#libs/engine';
import { readRequest } from '../extractive/read-request.js';
import { structuredAnswer } from '../extractive/structured-answer.js';
import { modelFailure } from '../outcome/model-failure.js';
import type { Provider } from './provider.js';

const DEFAULT_MAX_CHARS = 4_000;
const CHARS_PER_TOKEN = 4;

/**
 * `builtin:extractive`: answers with sentences of what it was given. No key, no network, no state, the same answer each
 * time. It never calls tools and understands nothing; with an output schema it fills simple ones (`structuredAnswer`).
 */
export function builtinExtractive(): Provider {
  return {
    check: (name) =>
      name === 'extractive' ? null : `there is no builtin:${name}; the only builtin model is builtin:extractive`,
    call: async (call) => answer(call),
  };
}

function answer(call: ModelCall): ModelOutcome {
  if (call.signal.aborted) return modelFailure('aborted', 'The call was cancelled.');
  const reading = readRequest(call.request);
  const { maxOutputTokens, outputSchema } = call.settings;
  if (outputSchema === null) {
    const maxChars = maxOutputTokens === null ? DEFAULT_MAX_CHARS : maxOutputTokens * CHARS_PER_TOKEN;
    return answered(extractiveAnswer({ ...reading, maxChars }).text, call);
  }
  const made = structuredAnswer(outputSchema, reading);
  if (made.ok) return answered(JSON.stringify(made.value), call);
  return modelFailure(
    'invalid_request',
    `builtin:extractive cannot fill the output schema at ${made.at}; it knows type, enum, const, default, properties and items. Use another model for this agent.`,
  );
}

function answered(text: string, call: ModelCall): ModelOutcome {
  for (const word of call.onDelta === null ? [] : text.split(/(?<=\s)/)) call.onDelta?.(word);
  return {
    kind: 'answer',
    message: { content: [{ type: 'text', text }], tool_calls: [] },
    finishReason: 'stop',
    usage: null,
    costUsd: 0,
    wireHash: null,
    providerPayload: null,
  };
}
