import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UnreachableError } from '../terminal/exit-code.js';
import { createWeirClient, ProblemError } from './weir-client.js';

async function listen(answer: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('client of the command line', () => {
  it('sends key, query, body and idempotency key', async () => {
    let seen: Pick<IncomingMessage, 'method' | 'url' | 'headers'> | null = null;
    let body = '';
    const { server, url } = await listen((request, response) => {
      seen = request;
      request.on('data', (text: Buffer) => (body += text.toString()));
      request.on('end', () => response.end('{"id":"run_1"}'));
    });
    const client = createWeirClient({ url, apiKey: 'weir_1_2' });
    const options = { body: { inputs: {} }, query: { wait: 1, none: null }, idempotencyKey: 'k1' };
    expect(await client.request('POST', '/v1/pipelines/a/runs', options)).toEqual({ id: 'run_1' });
    expect(seen).toMatchObject({
      method: 'POST',
      url: '/v1/pipelines/a/runs?wait=1',
      headers: { authorization: 'Bearer weir_1_2', 'idempotency-key': 'k1', 'content-type': 'application/json' },
    });
    expect(body).toBe('{"inputs":{}}');
    server.close();
  });

  it('shows every fault of a problem', async () => {
    const problem = {
      status: 422,
      code: 'invalid_pipeline',
      detail: 'The pipeline has 1 fault.',
      errors: [{ pointer: '/steps/0/when', detail: 'unknown name' }],
    };
    const { server, url } = await listen((_, response) => {
      response.statusCode = 422;
      response.end(JSON.stringify(problem));
    });
    const failure: unknown = await createWeirClient({ url, apiKey: null })
      .request('PUT', '/')
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProblemError);
    expect(failure).toMatchObject({ status: 422, code: 'invalid_pipeline', problem });
    expect(String(failure)).toMatch(/1 fault[^]*\/steps\/0\/when: unknown name/);
    server.close();
  });

  it('shows an answer that is no problem document as it is', async () => {
    const { server, url } = await listen((_, response) => {
      response.statusCode = 502;
      response.end('<html>bad gateway</html>');
    });
    await expect(createWeirClient({ url, apiKey: null }).request('GET', '/')).rejects.toMatchObject({
      status: 502,
      code: 'unexpected_answer',
      message: expect.stringContaining('bad gateway') as unknown,
    });
    server.close();
  });

  it('says when nobody listens', async () => {
    const { server, url } = await listen(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    await expect(createWeirClient({ url, apiKey: null }).request('GET', '/')).rejects.toThrow(UnreachableError);
    await expect(createWeirClient({ url, apiKey: null }).request('GET', '/')).rejects.toThrow(/ECONNREFUSED/);
  });
});
