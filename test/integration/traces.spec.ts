import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inTraceScope } from '../../apps/runtime/src/index.js';
import { describeRedis, testRedis, waitFor } from '../support/index.js';
import { Installation } from '../support/installation.js';
import { chatPipeline, startTestApi } from '../contracts/api/test-api.js';

type Span = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  facts: Record<string, any>;
};

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = `00-${TRACE}-00f067aa0ba902b7-01`;

const valueOf = (value: any): unknown =>
  value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue ?? value.arrayValue?.values.map(valueOf);
const factsOf = (attributes: any[]): Record<string, any> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

/** An OTLP receiver, as a collector is one. */
async function startReceiver(): Promise<{ url: string; spans: Span[]; server: Server }> {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans)
        for (const span of scopeSpans.flatMap((scope: any) => scope.spans))
          spans.push({
            ...span,
            service: factsOf(resource.attributes)['service.name'],
            facts: factsOf(span.attributes),
          });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, server };
}

const PROMPT = 'A question that nobody else may read.';

describeRedis('traces', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.server.close());

  async function runOnce(environment: Record<string, string>): Promise<Installation> {
    const { url, prefix } = await testRedis();
    const installation = await Installation.open({
      ...{ REDIS_URL: url, WEIR_QUEUE_PREFIX: prefix, WEIR_LEASE_S: '60' },
      ...environment,
    });
    const usage = { input_tokens: 120, cached_tokens: 100, output_tokens: 7 };
    const call = { id: 'c1', name: 'now', arguments: '{}' };
    await installation.script('clock', {
      replies: [
        { text: '', tool_calls: [call], usage },
        { text: 'noon', usage },
      ],
    });
    await installation.applyDocument({
      name: 'clock',
      agents: { a: { model: 'scripted:clock', system_prompt: 'You tell the time.', tools: ['now'] } },
      steps: [{ id: 'answer', agent: 'a', task: PROMPT }],
      output: '${steps.answer.output}',
    });
    await installation.worker();
    const scope = { traceparent: CALLER, span: null };
    const runId = await inTraceScope(scope, () => installation.startWith('clock', {}));
    expect(await installation.ended(runId)).toMatchObject({ status: 'succeeded', traceparent: CALLER });
    return installation;
  }

  it("join a run's step, its model calls and its tool calls to the caller's trace, by the conventions for generative AI", async () => {
    const installation = await runOnce({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    await installation.close();
    const { spans } = receiver;
    await waitFor(() => spans.length >= 5);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    const named = (name: string) => spans.filter((span) => span.name === name);
    const [step] = named('invoke_agent answer');
    expect(named('queue')).toMatchObject([{ parentSpanId: '00f067aa0ba902b7' }]);
    expect(step).toMatchObject({
      service: 'weir-worker',
      parentSpanId: '00f067aa0ba902b7',
      facts: { 'gen_ai.operation.name': 'invoke_agent', 'weir.outcome': expect.stringMatching(/^Step/) },
    });
    const chats = named('chat clock');
    expect(chats).toHaveLength(2);
    for (const chat of chats)
      expect(chat).toMatchObject({
        parentSpanId: step?.spanId,
        facts: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': 'scripted',
          'gen_ai.request.model': 'clock',
          'gen_ai.usage.input_tokens': 120,
          'gen_ai.usage.output_tokens': 7,
          'gen_ai.response.finish_reasons': [expect.any(String)],
        },
      });
    expect(named('execute_tool now')).toMatchObject([
      { parentSpanId: step?.spanId, facts: { 'gen_ai.tool.name': 'now', 'gen_ai.tool.type': 'builtin' } },
    ]);
    // Content is off by default.
    expect(JSON.stringify(spans)).not.toContain(PROMPT);
  });

  it('hold what models are told and say where an operator asks for it', async () => {
    const installation = await runOnce({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    });
    await installation.close();
    const chats = await waitFor(() => {
      const found = receiver.spans.filter(({ name }) => name === 'chat clock');
      return found.length === 2 ? found : null;
    });
    expect(chats[0]?.facts['gen_ai.input.messages']).toContain(PROMPT);
    expect(chats.map(({ facts }) => facts['gen_ai.output.messages']).join()).toContain('noon');
  });

  it('begin with the request: its span is below the caller, and the run that it starts is below it', async () => {
    const api = await startTestApi({
      takesJobs: true,
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    });
    api.scripts.set('chat', [{ text: 'Hello.' }]);
    await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
    const { body } = await api.ask('/v1/pipelines/chat/runs', {
      ...{ method: 'POST', headers: { traceparent: CALLER }, body: { inputs: { message: PROMPT } } },
    });
    await waitFor(async () => (await api.ask(`/v1/runs/${body.id}`)).body.status === 'succeeded');
    await api.close();
    const ofTrace = () => receiver.spans.filter(({ traceId }) => traceId === TRACE);
    await waitFor(() => ofTrace().length >= 3);
    const spanOf = (name: string) => ofTrace().find((span) => span.name === name);
    const request = spanOf('POST /v1/pipelines/:name/runs');
    expect(request).toMatchObject({
      parentSpanId: '00f067aa0ba902b7',
      facts: { 'http.request.method': 'POST', 'http.response.status_code': 202 },
    });
    expect(spanOf('queue')).toMatchObject({ parentSpanId: request?.spanId });
    expect(spanOf('invoke_agent answer')).toMatchObject({ parentSpanId: request?.spanId });
    expect(JSON.stringify(receiver.spans)).not.toContain(PROMPT);
  });

  it('are not made without a receiver, and the run carries the trace of its request all the same', async () => {
    const api = await startTestApi();
    await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
    const start = async (traceparent: string): Promise<unknown> => {
      const { status, body } = await api.ask('/v1/pipelines/chat/runs', {
        ...{ method: 'POST', headers: { traceparent }, body: { inputs: { message: 'hi' } } },
      });
      expect(status).toBe(202);
      const [row] = await api.database.sql`select traceparent from run where run_id = ${body.id}`;
      return row?.['traceparent'];
    };
    expect(await start(CALLER)).toBe(CALLER);
    expect(await start('00-nonsense')).toBeNull();
    await api.close();
    expect(receiver.spans).toEqual([]);
  });
});
