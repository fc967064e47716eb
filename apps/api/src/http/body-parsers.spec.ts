import Fastify from 'fastify';
import { addBodyParsers } from './body-parsers.js';

async function post(body: string): Promise<{ status: number; text: string }> {
  const server = Fastify();
  addBodyParsers(server);
  server.setErrorHandler((error, _request, reply) => reply.status(400).send(String(error)));
  server.post('/', () => 'taken');
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const text = await answer.text();
  await server.close();
  return { status: answer.status, text };
}

const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

describe('JSON bodies', () => {
  it('are taken down to 500 levels, and refused below that instead of overflowing the stack later', async () => {
    expect(await post(nested(500))).toEqual({ status: 200, text: 'taken' });
    for (const levels of [502, 100_000]) {
      expect(await post(nested(levels))).toEqual({ status: 400, text: expect.stringContaining('500 levels') });
    }
  });

  it.each(['{"n": 1e400}', '[{"a": -1e999}]'])('with numbers that no double holds are refused: %s', async (body) => {
    expect((await post(body)).text).toMatch(/too large/);
  });

  it('that are no JSON are refused with what is wrong', async () => {
    expect((await post('{"a": [1,}')).text).toMatch(/Unexpected token/);
  });

  it.each(['{"a": {"__proto__": {}}}', '{"constructor": {"prototype": 1}}'])(
    'with keys that reach for the prototype name them: %s',
    async (body) => {
      expect((await post(body)).text).toMatch(/a key that is not allowed/);
    },
  );
});
