import type { ModelCall } from '#libs/engine';
import type { Tracing } from '#libs/platform';
import { modelSpan, type Tracer } from './traced-calls.js';

const tracer: Tracer = {
  tracing: { capturesContent: false } as Tracing,
  redact: (value) => value,
  providers: new Map([
    ['mine', 'openai'],
    ['claude', 'anthropic'],
    ['g', 'google'],
    ['aws', 'bedrock'],
  ]),
};
const call = (model: string) => ({ model, settings: {}, position: {}, request: {} }) as unknown as ModelCall;

describe('the span of a model call', () => {
  it.each([
    ['mine:llama-3', 'openai'],
    ['claude:opus', 'anthropic'],
    ['g:gemini', 'gcp.gemini'],
    ['aws:titan', 'aws.bedrock'],
    ['scripted:clock', 'scripted'],
  ])('of %s names its provider as the conventions do, whatever the connection is called: %s', (model, provider) => {
    expect(modelSpan(tracer, call(model)).attributes).toMatchObject({ 'gen_ai.provider.name': provider });
  });
});
