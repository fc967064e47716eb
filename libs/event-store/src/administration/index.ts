export { recordAudit, type AuditEntry } from './audit.js';
export { createApiKey, revokeApiKey, type NewApiKey } from './api-keys.js';
export { createProject, type NewProject } from './projects.js';
export { deletePipeline, setPipelineAlias } from './pipelines.js';
export { eraseRun, eraseStream, type EraseResult } from './erase/erase-run.js';
export { eraseExpiredRuns, findExpiredRuns, type ExpiredRun } from './erase/expire-runs.js';
export { switchQueueBackend } from './switch-queue-backend.js';
export { deleteHook, putHook, rotateHookSecret, type HookInput } from './hooks.js';
export { deleteSchedule, pauseSchedule, putSchedule, resumeSchedule, type ScheduleInput } from './schedules.js';
export {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  insertTestDelivery,
  redeliver,
  rotateEndpointSecret,
  type EndpointChange,
  type NewEndpoint,
  type Redelivery,
} from './webhook-endpoints.js';
export { readDatabaseFacts, type DatabaseFacts, type OldTransaction } from './database-facts.js';
export { judgeDatabase, type DatabaseExpectations } from './judge-database.js';
export { peekFact } from './peek-fact.js';
