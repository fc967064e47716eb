import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceivedWebhook = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** Another system's server on this machine: keeps what it gets and answers what a test says. */
export async function startWebhookReceiver() {
  const received: ReceivedWebhook[] = [];
  const answers: { status: number; headers?: Record<string, string>; body?: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      });
      const { status, headers = {}, body = '' } = answers.shift() ?? { status: 204 };
      response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/in`,
    received,
    /** For the next requests, one after the other; then 204. */
    answer: (...next: typeof answers) => void answers.push(...next),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>;
