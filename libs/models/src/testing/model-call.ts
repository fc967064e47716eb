import type { NeutralMessage, NeutralRequest } from '#libs/context';
import type { ModelCall, ModelCallSettings, ModelOutcome } from '#libs/engine';

type Given = Partial<Omit<ModelCall, 'request' | 'settings' | 'position'>> & {
  request?: Partial<NeutralRequest>;
  settings?: Partial<ModelCallSettings>;
  position?: Partial<ModelCall['position']>;
};

/** A call with everything that a spec does not care about filled in. */
export function modelCall(model: string, given: Given = {}): ModelCall {
  return {
    model,
    cacheBreakpoints: [],
    cacheKey: 'view-1',
    signal: new AbortController().signal,
    idleTimeoutMs: 10_000,
    totalTimeoutMs: 20_000,
    onDelta: null,
    ...given,
    request: { system: null, messages: [user('Hello?')], tools: [], ...given.request },
    settings: {
      temperature: null,
      maxOutputTokens: null,
      stop: [],
      reasoning: null,
      extra: {},
      outputSchema: null,
      toolChoice: 'auto',
      ...given.settings,
    },
    position: {
      projectId: 'p',
      streamId: 's',
      runId: 'run_1',
      stepId: 'chat',
      item: null,
      callNo: 1,
      try: 1,
      ...given.position,
    },
  };
}

export const user = (text: string): NeutralMessage => ({ role: 'user', content: [{ type: 'text', text }] });

export function answerOf(outcome: ModelOutcome): Extract<ModelOutcome, { kind: 'answer' }> {
  if (outcome.kind === 'answer') return outcome;
  throw new Error(`expected an answer, got ${outcome.class}: ${outcome.detail}`);
}

export function failureOf(outcome: ModelOutcome): Extract<ModelOutcome, { kind: 'failure' }> {
  if (outcome.kind === 'failure') return outcome;
  throw new Error(`expected a failure, got an answer: ${JSON.stringify(outcome.message)}`);
}

export const textOf = (outcome: ModelOutcome): string =>
  answerOf(outcome)
    .message.content.map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
