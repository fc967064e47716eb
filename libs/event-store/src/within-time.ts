import { RetryableError } from '#libs/domain';

/**
 * Bounds an operation as its caller sees it. A database that is stopped (not gone) leaves sockets open and silent; no
 * server-side time-out fires then. Driver errors go through unchanged.
 */
export async function withinTime<T>(operation: () => PromiseLike<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new RetryableError('database_unavailable', `the database did not answer within ${timeoutMs} ms`, {
          reason: 'timeout',
        }),
      );
    }, timeoutMs);
  });
  try {
    return await Promise.race([operation(), late]);
  } finally {
    clearTimeout(timer);
  }
}
