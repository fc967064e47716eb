import type { Kysely } from 'kysely';
import type { DatabaseSchema } from '../schema/database-schema.js';

/** What the queries of this folder run on: the pool. They change nothing and hold no locks. */
export type ReadDatabase = Kysely<DatabaseSchema>;

/** Where a page begins: after this key of the list's order. Lists return up to `limit + 1` rows, so that callers see whether there are more. */
export type PageRequest<Key> = { readonly after: Key | null; readonly limit: number };
