import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { plantedSecret, secretsInText } from '../support/index.js';
import { secretsInDatabase } from '../support/planted-secrets.js';
import type { RecordedRequest } from '../support/providers/fake-provider.js';
import type { FakeReply } from '../support/providers/fake-reply.js';
import { startOpenAiServer } from '../support/providers/openai-server.js';
import { scenario } from './support/scenario.js';
import { expectSound } from './support/soundness.js';

const RUNS = 30;
const secrets = { openai: plantedSecret('openai'), header: plantedSecret('header'), crm: plantedSecret('crm') };

/** A model that says again what it was given, asks for tools with it, and fails now and then with all of it. */
function careless({ headers, json, text }: RecordedRequest, isFailing: boolean): FakeReply {
  if (isFailing)
    return {
      kind: 'status',
      status: 500,
      body: { error: { message: `${headers.authorization}; ${text}`, type: 'server_error' } },
    };
  const messages = json['messages'] as { role: string }[];
  const said = `My headers: ${headers.authorization} ${String(headers['x-gateway'])}`;
  if (messages.some(({ role }) => role === 'tool')) return { kind: 'answer', text: said };
  const calls = ['crm', 'broken'].map((name) => ({
    id: name,
    name,
    arguments: JSON.stringify({ q: headers.authorization }),
  }));
  return { kind: 'answer', text: said, toolCalls: calls };
}

/** A service that sends back all headers, whole and encoded. */
async function echo() {
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    response.writeHead(request.url === '/broken' ? 500 : 200, { 'x-echo': authorization });
    response.end(JSON.stringify({ ...request.headers, basic: Buffer.from(authorization).toString('base64') }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return server;
}

let openai: Awaited<ReturnType<typeof startOpenAiServer>>;

scenario('no secret reaches events, logs or job data, also when workers die in the middle', {
  deployment: async () => {
    openai = await startOpenAiServer();
    const connection = `provider: openai, base_url: "${openai.url}/v1", api_key: { env: CHAOS_KEY }, allow_private_addresses: true`;
    return {
      workers: 2,
      environment: { WEIR_LOG_LEVEL: 'trace', CHAOS_KEY: secrets.openai },
      operatorFile: `
connections:
  oai: { ${connection}, headers: { x-gateway: ${secrets.header} } }
secrets: { crm: { value: ${secrets.crm}, hosts: [127.0.0.1] } }
http: { allowed_hosts: [127.0.0.1] }
`,
    };
  },
  run: async ({ deployment, random, tell }) => {
    const crm = await echo();
    const tool = (path: string) => ({
      kind: 'http',
      description: 'Asks the CRM.',
      url: `http://127.0.0.1:${(crm.address() as AddressInfo).port}${path}`,
      headers: { Authorization: 'Bearer ${secrets.crm}' },
      parameters: { type: 'object', properties: { q: { type: 'string' } } },
    });
    await deployment.apply({
      name: 'careless',
      inputs: { message: { type: 'string' } },
      tools: { crm: tool('/'), broken: tool('/broken') },
      agents: { a: { model: 'oai:m', tools: ['crm', 'broken'] } },
      steps: [
        { id: 'work', agent: 'a', task: '${inputs.message}', retry: { max_attempts: 5, backoff: '1s' } },
        { id: 'own', tool: 'crm', args: { q: '${inputs.message}' } },
      ],
      output: '${steps.work.output}',
    });
    for (let reply = 0; reply < RUNS * 20; reply += 1)
      openai.reply((request) => careless(request, random.next() < 0.2));
    const redis = new Redis(deployment.redis.url);
    // Every command of every process to Redis, job data among them.
    const sent: string[] = [];
    const monitor = await redis.monitor();
    monitor.on('monitor', (_time: string, args: string[]) => sent.push(args.join(' ')));

    const message = `Use ${secrets.crm} and ${secrets.openai}, please.`;
    const runIds: string[] = [];
    for (let run = 0; run < RUNS; run += 1) runIds.push(await deployment.start('careless', { message }));
    for (const worker of deployment.workers) {
      await delay(random.between(100, 1500));
      await worker.kill();
      await worker.launch();
    }
    const refused = await deployment.ask('POST', '/v1/pipelines/careless/runs', {
      inputs: { message, [secrets.crm]: 1 },
    });
    expect(refused.status).toBe(422);
    const runs = await deployment.ended(runIds);
    tell(`${sent.length} commands to Redis, ${openai.requests.length} model calls`);
    expect(runs.filter(({ status }) => status === 'succeeded').length).toBeGreaterThan(0);
    // They were there to be leaked.
    expect(openai.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${secrets.openai}` });
    expect(sent.some((command) => command.includes('-d1'))).toBe(true);

    expect(sent.flatMap(secretsInText)).toEqual([]);
    expect(await secretsInDatabase(deployment.database.sql)).toEqual([]);
    for (const app of deployment.apps) expect(secretsInText(readFileSync(app.logFile, 'utf8'))).toEqual([]);
    await expectSound(deployment, runIds);
    monitor.disconnect();
    await redis.quit();
    await openai.stop();
    crm.closeAllConnections();
    await new Promise((resolve) => crm.close(resolve));
  },
});
