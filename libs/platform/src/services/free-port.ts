import { createServer } from 'node:net';
import { AppError } from '#libs/domain';

/**
 * A port of `host` that was free a moment ago; with `wanted`, that port or an error.
 * @throws AppError `port_in_use`
 */
export async function freePort(wanted = 0, host = '127.0.0.1'): Promise<number> {
  const held = await holdPort(wanted, host);
  await held.letGo();
  return held.port;
}

/** Different free ports: all are held until the last one is found. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const held = await Promise.all(Array.from({ length: count }, () => holdPort(0, host)));
  await Promise.all(held.map((one) => one.letGo()));
  return held.map((one) => one.port);
}

type HeldPort = { readonly port: number; readonly letGo: () => Promise<void> };

async function holdPort(wanted: number, host: string): Promise<HeldPort> {
  const server = createServer();
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new AppError(
          'port_in_use',
          `Port ${wanted} of ${host} cannot be used: ${cause.message}. Choose another one, or 0 for any free port.`,
          { port: wanted },
          { cause },
        ),
      ),
    );
    server.listen({ port: wanted, host, exclusive: true }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : wanted;
      resolve({ port, letGo: () => new Promise((done) => server.close(() => done())) });
    });
  });
}
