export { connect, type ConnectSettings, type Database } from './connect.js';
export type { Session, Sql } from './session.js';
export { migrate, type MigrateOptions } from './migrate/migrate.js';
export { postgresEventLog } from './postgres-event-log.js';
export type * from './schema/index.js';
export * from './administration/index.js';
export * from './reads/index.js';
