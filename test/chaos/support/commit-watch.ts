import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

/**
 * The wire between a worker and its Postgres. Whenever the server says that a statement or transaction is over, `onIdle` is
 * asked before the worker hears of it. Answers it true, the worker never hears: its connection is dead, and so should it be.
 */
export class CommitWatch {
  private readonly sockets = new Set<Socket>();
  onIdle: () => Promise<boolean> = async () => false;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async before(postgresUrl: string): Promise<CommitWatch> {
    const server = createServer();
    const watch = new CommitWatch(server, new URL(postgresUrl));
    server.on('connection', (near) => watch.join(near));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return watch;
  }

  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    void this.forward(far, near).catch(() => near.destroy());
  }

  /** Whole messages only: a type, four bytes of length that count themselves, the rest. */
  private async forward(far: Socket, near: Socket): Promise<void> {
    let rest = Buffer.alloc(0);
    for await (const chunk of far as AsyncIterable<Buffer>) {
      rest = Buffer.concat([rest, chunk]);
      let end = 0;
      let isIdle = false;
      while (rest.length >= end + 5 && rest.length >= end + 1 + rest.readUInt32BE(end + 1)) {
        if (rest[end] === READY_FOR_QUERY && rest[end + 5] === IDLE) isIdle = true;
        end += 1 + rest.readUInt32BE(end + 1);
      }
      if (isIdle && (await this.onIdle())) return void near.destroy();
      near.write(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  }
}
