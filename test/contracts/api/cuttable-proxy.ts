import { createServer, connect, type Socket } from 'node:net';

/** A way to the database that can be cut, so that only this file's API loses it. */
export function cuttableProxy() {
  const sockets = new Set<Socket>();
  let target = { host: '127.0.0.1', port: 0 };
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy();
    const upstream = connect(target.port, target.host);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  return {
    inFrontOf: async (databaseUrl: string) => {
      const url = new URL(databaseUrl);
      target = { host: url.hostname, port: Number(url.port) };
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      if (typeof address !== 'object' || address === null) throw new Error('the proxy does not listen');
      url.host = `127.0.0.1:${address.port}`;
      return url.href;
    },
    cut: () => {
      isCut = true;
      sockets.forEach((socket) => socket.destroy());
    },
    mend: () => {
      isCut = false;
    },
    close: () =>
      new Promise<void>((resolve) => {
        sockets.forEach((socket) => socket.destroy());
        server.close(() => resolve());
      }),
  };
}
