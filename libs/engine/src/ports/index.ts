export type * from './compaction-store.port.js';
export type * from './event-log.port.js';
export type * from './model.port.js';
export type * from './pipeline-store.port.js';
export type * from './recordings.port.js';
export type * from './run-store.port.js';
export type * from './step-queue.port.js';
export type * from './tool.port.js';
