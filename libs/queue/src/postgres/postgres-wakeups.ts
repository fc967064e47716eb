import pg from 'pg';
import type { Wakeups } from '#libs/engine';
import { LISTENER_HOLDS_S, ListenerMarks } from '../listener-marks.js';
import { Listeners } from '../listeners.js';
import type { ReportFault } from '../queue-backend.js';
import {
  decodeDelta,
  decodeRun,
  decodeRuns,
  encodeDelta,
  encodeRun,
  encodeRuns,
  type Delta,
} from '../wakeup-messages.js';

const RECONNECT_MS = 1000;
/** NOTIFY carries less than 8000 bytes; a character takes up to 6 as JSON. */
const DELTA_CHARS = 1000;

/** Wake-ups by LISTEN/NOTIFY, each its own statement outside of any transaction of the runs. */
export class PostgresWakeups implements Wakeups {
  private readonly cancels: Listeners<string>;
  private readonly progress: Listeners<string>;
  private readonly crowds: Listeners<void>;
  private readonly deltas: Listeners<Delta>;
  private readonly marks: ListenerMarks;
  private readonly table: string;
  private readonly handlers = new Map<string, (message: string) => void>();
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
    this.cancels = new Listeners('cancel', reportFault);
    this.progress = new Listeners('progress', reportFault);
    this.crowds = new Listeners('crowded', reportFault);
    this.deltas = new Listeners('deltas', reportFault);
    this.table = `"${schema.replaceAll('"', '""')}".weir_listener`;
    this.marks = new ListenerMarks(
      { mark: (name) => this.mark(name), isMarked: (name) => this.isMarked(name) },
      reportFault,
    );
  }

  publishCancel(runId: string): Promise<void> {
    return this.publish('cancel', encodeRun(runId));
  }

  publishProgress(runId: string): Promise<void> {
    return this.publish('progress', encodeRuns([runId]));
  }

  publishCrowded(): Promise<void> {
    return this.publish('crowded', '');
  }

  async publishDelta(delta: Delta): Promise<void> {
    const characters = [...delta.text];
    for (let from = 0; from < characters.length; from += DELTA_CHARS) {
      await this.publish('delta', encodeDelta({ ...delta, text: characters.slice(from, from + DELTA_CHARS).join('') }));
    }
  }

  onCancel(listener: (runId: string) => void): void {
    this.cancels.add(listener);
    this.listen('cancel', (message) => this.cancels.emit(decodeRun(message)));
  }

  onProgress(listener: (runId: string) => void): void {
    this.progress.add(listener);
    this.listen('progress', (message) => decodeRuns(message).forEach((runId) => this.progress.emit(runId)));
  }

  onCrowded(listener: () => void): void {
    this.crowds.add(listener);
    this.listen('crowded', () => this.crowds.emit());
  }

  onDelta(listener: (delta: Delta) => void): void {
    this.deltas.add(listener);
    this.listen('delta', (message) => this.deltas.emit(decodeDelta(message)));
  }

  announceListener(projectId: string, streamId: string): Promise<void> {
    return this.marks.announce(projectId, streamId);
  }

  hasListener(projectId: string, streamId: string): Promise<boolean> {
    return this.marks.has(projectId, streamId);
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

  private async mark(name: string): Promise<void> {
    await this.pool.query(
      `with gone as (delete from ${this.table} where until < clock_timestamp() and name <> $1)
       insert into ${this.table} (name, until) values ($1, clock_timestamp() + make_interval(secs => $2))
       on conflict (name) do update set until = excluded.until`,
      [name, LISTENER_HOLDS_S],
    );
  }

  private async isMarked(name: string): Promise<boolean> {
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

  private channel(kind: string): string {
    return `weir_${this.schema}_${kind}`.slice(0, 63);
  }

  private async publish(kind: string, message: string): Promise<void> {
    try {
      await this.pool.query('select pg_notify($1, $2)', [this.channel(kind), message]);
    } catch (error) {
      this.reportFault(`a wake-up (${kind}) was lost`, error);
    }
  }

  private listen(kind: string, handle: (message: string) => void): void {
    const channel = this.channel(kind);
    if (this.handlers.has(channel)) return;
    this.handlers.set(channel, handle);
    if (this.listener === null) this.connect();
    else this.subscribe(this.listener, channel);
  }

  private connect(): void {
    const client = new pg.Client({ connectionString: this.url, application_name: 'weir-wakeups', keepAlive: true });
    this.listener = client;
    client.on('notification', ({ channel, payload }) => this.receive(channel, payload ?? ''));
    client.on('error', (error) => this.reconnect(client, error));
    client.on('end', () => this.reconnect(client, new Error('the connection ended')));
    this.statements = client.connect().catch((error: unknown) => this.reconnect(client, error));
    for (const channel of this.handlers.keys()) this.subscribe(client, channel);
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

  private receive(channel: string, message: string): void {
    try {
      this.handlers.get(channel)?.(message);
    } catch (error) {
      this.reportFault(`a wake-up on ${channel} could not be read`, error);
    }
  }
}
