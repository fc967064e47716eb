import type { Pool } from 'pg';
import type { QueueEpoch } from '#libs/engine';

export class PostgresEpoch implements QueueEpoch {
  private readonly table: string;

  constructor(
    private readonly pool: Pool,
    schema: string,
  ) {
    this.table = `"${schema.replaceAll('"', '""')}".weir_epoch`;
  }

  /** Under a lock: two sessions that create one table at once fail in the catalog even with `if not exists`. */
  async createTable(): Promise<void> {
    await this.pool.query(
      `do $$ begin
         perform pg_advisory_xact_lock(hashtext('weir queue epoch'));
         create table if not exists ${this.table} (only_row boolean primary key default true check (only_row), epoch text not null);
       end $$`,
    );
  }

  async read(): Promise<string | null> {
    const { rows } = await this.pool.query<{ epoch: string }>(`select epoch from ${this.table}`);
    return rows[0]?.epoch ?? null;
  }

  async write(epoch: string): Promise<void> {
    await this.pool.query(
      `insert into ${this.table} (epoch) values ($1) on conflict (only_row) do update set epoch = excluded.epoch`,
      [epoch],
    );
  }
}
