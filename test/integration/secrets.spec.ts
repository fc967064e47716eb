import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { StoredEvent } from '../../libs/domain/src/index.js';
import { decideApproval, explainRun, sendSignal, type RunRecord } from '../../libs/engine/src/index.js';
import { plantedSecret, secretsInText, testQueue, waitFor } from '../support/index.js';
import { Installation, PROJECT } from '../support/installation.js';
import { startAnthropicServer } from '../support/providers/anthropic-server.js';
import type { FakeProvider } from '../support/providers/fake-provider.js';
import { startOpenAiServer } from '../support/providers/openai-server.js';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const secrets = {
  openai: plantedSecret('openai'),
  anthropic: plantedSecret('anthropic'),
  header: plantedSecret('header'),
  crm: plantedSecret('crm'),
  mcp: plantedSecret('mcp'),
};

/** Whoever is given a secret says it again, in every way that a careless server has. */
let crm: Server;
const crmSaw: IncomingHttpHeaders[] = [];
let openai: FakeProvider;
let anthropic: FakeProvider;
let installation: Installation;

beforeAll(async () => {
  crm = createServer((request, response) => {
    crmSaw.push(request.headers);
    const { authorization = '' } = request.headers;
    response.writeHead(request.url === '/broken' ? 500 : 200, { 'x-echo': authorization });
    response.end(JSON.stringify({ ...request.headers, basic: Buffer.from(authorization).toString('base64') }));
  });
  await new Promise<void>((resolve) => crm.listen(0, '127.0.0.1', resolve));
  [openai, anthropic] = await Promise.all([startOpenAiServer(), startAnthropicServer()]);
  const queue = await testQueue();
  const environment = {
    ...(queue.redisUrl === null ? {} : { REDIS_URL: queue.redisUrl }),
    WEIR_QUEUE_BACKEND: queue.backend,
    WEIR_QUEUE_PREFIX: queue.prefix,
    ANTHROPIC_TEST_KEY: secrets.anthropic,
  };
  installation = await Installation.open(environment, operatorFile());
  await installation.worker();
});
afterAll(async () => {
  // It searches its database, in all columns, when it drops it.
  await installation.close();
  await Promise.all([openai.stop(), anthropic.stop()]);
  crm.closeAllConnections();
  await new Promise((resolve) => crm.close(resolve));
});

const operatorFile = (): string => `
connections:
  oai:
    provider: openai
    base_url: ${openai.url}/v1
    api_key: ${secrets.openai}
    headers: { x-gateway: ${secrets.header} }
    allow_private_addresses: true
  claude:
    provider: anthropic
    base_url: ${anthropic.url}
    api_key: { env: ANTHROPIC_TEST_KEY }
    allow_private_addresses: true
secrets:
  crm: { value: ${secrets.crm}, hosts: [127.0.0.1] }
http: { allowed_hosts: [127.0.0.1] }
mcp_servers:
  everything: { command: ${process.execPath}, args: [${EVERYTHING}], env: { TOKEN: ${secrets.mcp} } }
`;

const crmTool = (path: string) => ({
  kind: 'http',
  description: 'Asks the CRM.',
  url: `http://127.0.0.1:${(crm.address() as AddressInfo).port}${path}`,
  headers: { Authorization: 'Bearer ${secrets.crm}' },
  parameters: { type: 'object', properties: { q: { type: 'string' } } },
});

async function allEvents(run: RunRecord): Promise<StoredEvent[]> {
  const { log } = installation.accepting.engine;
  const streams = [run.streamId, `${run.streamId}:step:work`];
  return (await Promise.all(streams.map((streamId) => log.read({ projectId: PROJECT, streamId })))).flat();
}

describe('secrets of the operator', () => {
  it('reach whom they are for and come back from nobody, whatever these say', async () => {
    await installation.applyDocument({
      name: 'careless',
      inputs: { message: { type: 'string' } },
      tools: {
        crm: crmTool('/'),
        broken: crmTool('/broken'),
        env: { kind: 'mcp', server: 'everything', tool: 'get-env' },
      },
      agents: { a: { model: 'oai:m', fallback_models: ['claude:m'], tools: ['crm', 'broken', 'env'] } },
      steps: [{ id: 'work', agent: 'a', task: '${inputs.message}' }],
      output: '${steps.work.output}',
    });
    openai.reply(
      ({ headers }) => ({
        kind: 'answer',
        text: `My headers: ${headers.authorization} ${String(headers['x-gateway'])}`,
        toolCalls: [
          { id: 'c1', name: 'crm', arguments: JSON.stringify({ q: headers.authorization }) },
          { id: 'c2', name: 'broken', arguments: '{}' },
          { id: 'c3', name: 'env', arguments: '{}' },
          { id: 'c4', name: `no-such-tool-${secrets.crm}`, arguments: `{"broken": ${secrets.crm}` },
        ],
      }),
      ({ headers, text }) => ({
        kind: 'status',
        status: 401,
        body: {
          error: { message: `bad key ${headers.authorization}; you sent ${text}`, type: 'invalid_request_error' },
        },
      }),
    );
    anthropic.reply(({ headers }) => ({ kind: 'answer', text: `Key: ${String(headers['x-api-key'])}` }));
    const message = `Use ${secrets.crm}, please.`;
    const run = await installation.ended(await installation.startWith('careless', { message }));
    expect(run).toMatchObject({ status: 'succeeded', output: 'Key: [redacted: connections.claude]' });

    expect(openai.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${secrets.openai}`,
      'x-gateway': secrets.header,
    });
    expect(anthropic.requests[0]?.headers['x-api-key']).toBe(secrets.anthropic);
    expect(crmSaw.map(({ authorization }) => authorization)).toEqual(Array(2).fill(`Bearer ${secrets.crm}`));

    const kept = JSON.stringify(await allEvents(run));
    for (const sign of [
      'secret crm',
      'redacted: secrets.crm',
      'redacted: connections.oai',
      'x-gateway',
      'everything.TOKEN',
    ])
      expect(kept).toContain(sign);
    expect(secretsInText(kept)).toEqual([]);
    // What the models are sent next holds no more than that.
    const second = openai.requests[1]?.text ?? '';
    expect(secretsInText(second)).toEqual([]);
    expect(second).toContain('[secret crm]');
  }, 60_000);

  it('stand in no approval, error or explanation', async () => {
    await installation.applyDocument({
      name: 'asking',
      inputs: { q: { type: 'string' } },
      tools: { crm: { ...crmTool('/'), requires_approval: true } },
      steps: [{ id: 'work', tool: 'crm', args: { q: '${inputs.q}' } }],
      output: '${steps.work.output}',
    });
    const runId = await installation.startWith('asking', { q: secrets.crm });
    const { engine } = installation.accepting;
    const [approval] = await waitFor(async () => {
      const [step] = await engine.runs.stepRunsOf(PROJECT, runId);
      return step?.reason === 'approval' ? engine.runs.approvalsOfStep(PROJECT, step.stepRunId) : null;
    });
    expect(approval?.arguments).toContain('[redacted: secrets.crm]');
    expect(secretsInText(JSON.stringify([await explainRun(engine, PROJECT, runId), approval]))).toEqual([]);
    const decision = {
      projectId: PROJECT,
      approvalId: approval?.approvalId ?? '',
      decision: 'approve',
      form: null,
    } as const;
    const edited = JSON.stringify({ q: `not ${secrets.crm}` });
    await decideApproval(engine, { ...decision, comment: `as ${secrets.mcp}`, arguments: edited, decidedBy: 'key_1' });
    await sendSignal(engine, { projectId: PROJECT, name: 'news', key: 'k', payload: { token: secrets.openai } });
    const approved = await installation.ended(runId);
    expect(approved).toMatchObject({ status: 'succeeded', output: { authorization: 'Bearer [secret crm]' } });
    expect(secretsInText(JSON.stringify(approved))).toEqual([]);

    await installation.applyDocument({
      name: 'failing',
      tools: { nobody: { ...crmTool('/'), url: 'http://127.0.0.1:1/?key=${secrets.crm}' } },
      steps: [{ id: 'work', tool: 'nobody', args: {}, retry: { max_attempts: 1 } }],
    });
    const failed = await installation.ended(await installation.startWith('failing', {}));
    expect(failed).toMatchObject({ status: 'failed', error: { detail: expect.stringContaining('127.0.0.1:1') } });
    expect(secretsInText(JSON.stringify(failed))).toEqual([]);
  }, 60_000);
});
