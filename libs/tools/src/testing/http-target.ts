import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

export type SeenRequest = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

/** A local server that a spec's http tools call: what it saw, and what it answers (`fine` unless a test says otherwise). */
export type HttpTarget = {
  seen: SeenRequest[];
  answer: (request: SeenRequest, response: ServerResponse) => void;
  last(): SeenRequest;
  url(path: string): string;
  port(): number;
};

/** Starts one for the tests of the file. */
export function useHttpTarget(): HttpTarget {
  const fine: HttpTarget['answer'] = (_, response) => void response.end('fine');
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      target.seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      target.answer(target.last(), response);
    });
  });
  const port = (): number => (server.address() as AddressInfo).port;
  const target: HttpTarget = {
    seen: [],
    answer: fine,
    last: () => target.seen.at(-1) ?? { method: 'none', url: '', headers: {}, body: '' },
    url: (path) => `http://127.0.0.1:${port()}${path}`,
    port,
  };
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  beforeEach(() => {
    target.seen = [];
    target.answer = fine;
  });
  return target;
}
