import { createServer } from 'node:net';
import { AppError } from '#libs/domain';

/**
 * A port of `host` that was free a moment ago; with `wanted`, that port or an error.
 * @throws AppError `port_in_use`
 */
export async function freePort(wanted = 0, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.unref();
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
      server.close(() => resolve(port));
    });
  });
}
