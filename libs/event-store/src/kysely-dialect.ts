import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type postgres from 'postgres';
import { translated } from './database-error.js';
import type { Sql } from './session.js';

type DriverSettings = { prepare: boolean; within: <T>(operation: () => PromiseLike<T>) => Promise<T> };

/**
 * Kysely over postgres.js. kysely-postgres-js 3 reserves a connection per query and never prepares; here a query outside
 * a transaction goes to the pool (pipelined, prepared) and has the operation time-out and our errors.
 */
export class PostgresJsDialect implements Dialect {
  constructor(
    private readonly sql: Sql,
    private readonly settings: DriverSettings,
  ) {}

  createAdapter(): PostgresAdapter {
    return new PostgresAdapter();
  }

  createDriver(): Driver {
    return new PostgresJsDriver(this.sql, this.settings);
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new PostgresIntrospector(db);
  }

  createQueryCompiler(): PostgresQueryCompiler {
    return new PostgresQueryCompiler();
  }
}

class PostgresJsDriver implements Driver {
  constructor(
    private readonly sql: Sql,
    private readonly settings: DriverSettings,
  ) {}

  async init(): Promise<void> {}

  acquireConnection(): Promise<PooledConnection> {
    return Promise.resolve(new PooledConnection(this.sql, this.settings));
  }

  async beginTransaction(connection: PooledConnection, settings: TransactionSettings): Promise<void> {
    await connection.reserve();
    await connection.command(
      settings.isolationLevel === undefined ? 'begin' : `begin isolation level ${settings.isolationLevel}`,
    );
  }

  commitTransaction(connection: PooledConnection): Promise<void> {
    return connection.command('commit');
  }

  rollbackTransaction(connection: PooledConnection): Promise<void> {
    return connection.command('rollback');
  }

  async releaseConnection(connection: PooledConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    // The pool belongs to Database.close().
  }
}

/** Parameters as Kysely gives them; postgres.js asks the server for their types. */
type Parameters = postgres.ParameterOrJSON<never>[];

class PooledConnection implements DatabaseConnection {
  private reserved: postgres.ReservedSql | null = null;

  constructor(
    private readonly sql: Sql,
    private readonly settings: DriverSettings,
  ) {}

  async executeQuery<R>(compiled: CompiledQuery): Promise<QueryResult<R>> {
    const session = this.reserved ?? this.sql;
    // Kysely types parameters as unknown; what the query builder accepted is what the driver gets.
    const parameters = [...compiled.parameters] as Parameters;
    const rows = await this.bounded(() => session.unsafe(compiled.sql, parameters, { prepare: this.settings.prepare }));
    const numAffectedRows = rows.count === null ? undefined : BigInt(rows.count);
    return { rows: [...rows] as R[], numAffectedRows };
  }

  // The interface wants a generator; lists are paged by cursor instead.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('streaming is not supported: page with a cursor instead');
  }

  async command(text: string): Promise<void> {
    const session = this.reserved ?? this.sql;
    await this.bounded(() => session.unsafe(text));
  }

  async reserve(): Promise<void> {
    this.reserved = await this.bounded(() => this.sql.reserve());
  }

  release(): void {
    this.reserved?.release();
    this.reserved = null;
  }

  private bounded<T>(operation: () => PromiseLike<T>): Promise<T> {
    return translated(this.settings.within(operation));
  }
}
