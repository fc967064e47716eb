import type { ColumnType } from 'kysely';
import type { Json } from '#libs/domain';

/** RFC 3339 UTC with microseconds when read; a string or Date when written. */
export type Timestamp = ColumnType<string, string | Date, string | Date>;
/** A timestamp that the database fills in. */
export type DefaultTimestamp = ColumnType<string, string | Date | undefined, string | Date>;
export type NullableTimestamp = ColumnType<string | null, string | Date | null | undefined, string | Date | null>;
/** jsonb; the connection escapes and restores what Postgres cannot hold. SQL NULL stands for JSON null. */
export type JsonColumn = ColumnType<Json, Json | undefined, Json>;
