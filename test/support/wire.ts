import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { waitFor } from './wait-for.js';

/** The wire between a process and its Redis: it can be cut, or go silent as a frozen server does. */
export class Wire {
  private readonly sockets = new Set<Socket>();
  private silent = false;
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async to(redisUrl: string): Promise<Wire> {
    const target = new URL(redisUrl);
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const wire = new Wire(server, (server.address() as AddressInfo).port);
    server.on('connection', (near) => wire.join(near, connect(Number(target.port), target.hostname)));
    return wire;
  }

  private join(near: Socket, far: Socket): void {
    for (const socket of [near, far]) {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (bytes) => void (this.silent || far.write(bytes)));
    far.on('data', (bytes) => void (this.silent || near.write(bytes)));
  }

  async cut(): Promise<void> {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await waitFor(() => this.sockets.size === 0);
  }

  async restore(): Promise<void> {
    this.silent = false;
    if (!this.server.listening) await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
  }

  /** Connections are accepted, nothing is answered. What was sent meanwhile is lost with its connection. */
  freeze(): void {
    this.silent = true;
  }

  thaw(): void {
    this.silent = false;
    for (const socket of this.sockets) socket.destroy();
  }
}
