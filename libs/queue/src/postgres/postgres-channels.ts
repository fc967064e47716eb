import pg from 'pg';
import type { WakeupChannels, WakeupKind } from '../channel-wakeups.js';
import { LISTENER_HOLDS_S } from '../listener-marks.js';
import type { ReportFault } from '../queue-backend.js';

const RECONNECT_MS = 1000;

/** Wake-ups by LISTEN/NOTIFY, each its own statement outside of any transaction of the runs; marks are rows with a time. */
export class PostgresChannels implements WakeupChannels {
  /** NOTIFY carries less than 8000 bytes; a character takes up to 6 as JSON. */
  readonly deltaChars = 1000;
  private readonly table: string;
  private readonly receivers = new Map<string, (message: string) => void>();
  private listener: pg.Client | null = null;
  private retry: NodeJS.Timeout | null = null;
  private closed = false;
  /** One statement at a time on the listening connection. */
  private statements: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly pool: pg.Pool,
    private readonly schema: string,
    private readonly reportFault: ReportFault,
  ) {
    this.table = `"${schema.replaceAll('"', '""')}".weir_listener`;
  }

  /** Under a lock: two sessions that create one table at once fail in the catalog even with `if not exists`. */
  async createTable(): Promise<void> {
    await this.pool.query(
      `do $$ begin
         perform pg_advisory_xact_lock(hashtext('weir listeners'));
         create table if not exists ${this.table} (name text primary key, until timestamptz not null);
       end $$`,
    );
  }

  send(kind: WakeupKind, message: string): Promise<unknown> {
    return this.pool.query('select pg_notify($1, $2)', [this.channel(kind), message]);
  }

  listen(kind: WakeupKind, receive: (message: string) => void): void {
    const channel = this.channel(kind);
    this.receivers.set(channel, receive);
    if (this.listener === null) this.connect();
    else this.subscribe(this.listener, channel);
  }

  async mark(name: string): Promise<void> {
    await this.pool.query(
      `with gone as (delete from ${this.table} where until < clock_timestamp() and name <> $1)
       insert into ${this.table} (name, until) values ($1, clock_timestamp() + make_interval(secs => $2))
       on conflict (name) do update set until = excluded.until`,
      [name, LISTENER_HOLDS_S],
    );
  }

  async isMarked(name: string): Promise<boolean> {
    const found = await this.pool.query(`select 1 from ${this.table} where name = $1 and until > clock_timestamp()`, [
      name,
    ]);
    return found.rowCount === 1;
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.retry !== null) clearTimeout(this.retry);
    await this.statements;
    await this.listener?.end();
  }

  private channel(kind: WakeupKind): string {
    return `weir_${this.schema}_${kind}`.slice(0, 63);
  }

  private connect(): void {
    const client = new pg.Client({ connectionString: this.url, application_name: 'weir-wakeups', keepAlive: true });
    this.listener = client;
    client.on('notification', ({ channel, payload }) => this.receivers.get(channel)?.(payload ?? ''));
    client.on('error', (error) => this.reconnect(client, error));
    client.on('end', () => this.reconnect(client, new Error('the connection ended')));
    this.statements = client.connect().catch((error: unknown) => this.reconnect(client, error));
    for (const channel of this.receivers.keys()) this.subscribe(client, channel);
  }

  private subscribe(client: pg.Client, channel: string): void {
    this.statements = this.statements
      .then(() => (this.listener === client ? client.query(`listen "${channel.replaceAll('"', '""')}"`) : undefined))
      .catch((error: unknown) => this.reconnect(client, error));
  }

  private reconnect(client: pg.Client, error: unknown): void {
    if (this.closed || this.listener !== client) return;
    this.listener = null;
    client.end().catch(() => undefined);
    this.reportFault('the connection for wake-ups was lost', error);
    this.retry = setTimeout(() => this.connect(), RECONNECT_MS);
  }
}
