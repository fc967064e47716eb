export {
  chooseBackends,
  findRedisServer,
  type BackendChoice,
  type PostgresChoice,
  type QueueChoice,
} from './backends.js';
export { lockDataDir, type DataDirLock } from './data-dir-lock.js';
export { startEmbeddedPostgres, type EmbeddedPostgresOptions, type RunningService } from './embedded-postgres.js';
export { findExecutable } from './find-executable.js';
export { freePort, freePorts } from './free-port.js';
export { startGuard, type EndStage, type Guard } from './guard.js';
export { lastLines, startProcess, type Exit, type ManagedProcess, type ProcessOptions } from './managed-process.js';
export { startPrivateRedis, type PrivateRedisOptions } from './private-redis.js';
export { serviceUser } from './service-user.js';
