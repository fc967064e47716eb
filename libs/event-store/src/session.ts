import type postgres from 'postgres';

/** postgres.js with our types: bigint and numeric → number, timestamps → RFC 3339 UTC strings with microseconds, jsonb unescaped. */
export type Sql = postgres.Sql<{ bigint: number; numeric: number; json: unknown; date: string }>;
export type TransactionSql = postgres.TransactionSql<{ bigint: number; numeric: number; json: unknown; date: string }>;
/** What an operation runs on: the pool or an open transaction. */
export type Session = Sql | TransactionSql;
