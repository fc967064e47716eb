import { setImmediate } from 'node:timers/promises';
import { RetryableError } from '#libs/domain';

/**
 * How long this process waits for its queue's server. After the first answer that does not come, `onSilence` is called
 * (Redis: reconnect, so that further commands fail at once until the server answers again).
 */
export class Answers {
  constructor(
    private readonly timeoutMs: number,
    private readonly onSilence: () => void = () => undefined,
  ) {}

  /**
   * The answer, or `queue_unavailable` in time: nobody waits for a queue that is away. A command that is carried
   * out after all does no harm, each can be repeated (job ids, claims, last write wins).
   * @throws RetryableError
   */
  async within<T>(what: string, work: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<'silence'>((resolve) => {
      // A blocked event loop runs late timers before it reads sockets: let an answer that is already there win.
      timer = setTimeout(() => void setImmediate('silence' as const).then(resolve), this.timeoutMs);
    });
    try {
      const answer = await Promise.race([work().then((value) => ({ value })), silence]);
      if (answer !== 'silence') return answer.value;
    } catch (error) {
      throw unavailable(what, error instanceof Error ? error.message : String(error), error);
    } finally {
      clearTimeout(timer);
    }
    this.onSilence();
    throw unavailable(what, `no answer within ${this.timeoutMs} ms`, undefined);
  }
}

function unavailable(what: string, why: string, cause: unknown): RetryableError {
  return new RetryableError('queue_unavailable', `The queue could not ${what}: ${why}`, {}, { cause });
}
