import { createServer, connect as connectSocket, type Socket } from 'node:net';

/** A TCP relay to the test server that can fall silent, as a stopped Postgres does: sockets stay open, nothing answers. */
export async function startRelay(target: URL) {
  const sockets: Socket[] = [];
  let isSilent = false;
  const server = createServer((client) => {
    const upstream = connectSocket(Number(target.port), target.hostname);
    sockets.push(client, upstream);
    client.on('data', (chunk) => void (isSilent || upstream.write(chunk)));
    upstream.on('data', (chunk) => void (isSilent || client.write(chunk)));
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(target);
  url.host = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    url: url.href,
    silence: () => {
      isSilent = true;
    },
    /** Connections end with RST, as those of a server that was killed do; the next ones are served. */
    reset: () => {
      isSilent = false;
      for (const socket of sockets.splice(0)) socket.resetAndDestroy();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
