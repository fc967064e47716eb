import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { addBodyParsers, BODY_LIMIT_BYTES } from './body-parsers.js';

async function post(
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const server = Fastify({ bodyLimit: BODY_LIMIT_BYTES });
  addBodyParsers(server);
  server.setErrorHandler((error, _request, reply) => reply.status(400).send(String(error)));
  server.post('/', () => 'taken');
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  const text = await answer.text();
  await server.close();
  return { status: answer.status, text };
}

const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

describe('JSON bodies', () => {
  it('are taken down to 500 levels, and refused below that instead of overflowing the stack later', async () => {
    expect(await post(nested(500))).toEqual({ status: 200, text: 'taken' });
    for (const levels of [501, 100_000]) {
      const text = expect.stringContaining('over 500 levels deep (at /a/0/0/0/0/0/…)');
      expect(await post(nested(levels))).toEqual({ status: 400, text });
    }
  });

  it('that would take seconds to read are refused before', async () => {
    const members = Array.from({ length: 200_001 }, (_, n) => `"k${n}":1`).join(',');
    expect((await post(`{${members}}`)).text).toMatch(/cannot be taken: there are too many values/);
    expect((await post(nested(4_000_000))).text).toMatch(/cannot be taken: values are nested over 500 levels deep\./);
  });

  it.each(['{"n": 1e400}', '[{"a": -1e999}]'])('with numbers that no double holds are refused: %s', async (body) => {
    expect((await post(body)).text).toMatch(/a number is too large; write it as a string \(at \/(n|0\/a)\)/);
  });

  it.each(['gzip', 'deflate', 'br', 'gzip, gzip', 'unknown'])(
    'that are compressed (%s) are not unpacked',
    async (encoding) => {
      const bomb = gzipSync(JSON.stringify({ text: 'x'.repeat(20_000_000) }));
      expect(await post(bomb, { 'content-encoding': encoding })).toEqual({
        status: 400,
        text: expect.stringContaining(`The body is compressed (Content-Encoding: ${encoding}). Send it as it is.`),
      });
      expect(await post('{}', { 'content-encoding': 'identity' })).toMatchObject({ status: 200 });
    },
  );

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
