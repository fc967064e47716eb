import type { Redis } from 'ioredis';

/**
 * Commands that are sent in the same turn of the event loop leave in one write: ioredis writes each by itself, and a write to a socket
 * (a system call that wakes the server) costs as much as the script behind it.
 */
export function writeOnceATurn(client: Pick<Redis, 'stream' | 'status' | 'on'>): void {
  if (client.status === 'connect' || client.status === 'ready') gatherWrites(client.stream);
  client.on('connect', () => gatherWrites(client.stream));
}

function gatherWrites(stream: Redis['stream']): void {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (...args: unknown[]): boolean => {
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return write(...args);
  };
}
