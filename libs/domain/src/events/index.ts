export * from './content.js';
export * from './conversation-events.js';
export * from './event.js';
export * from './event-catalogue.js';
export { runErrorSchema, waitReasonSchema, type RunError, type WaitReason } from './run-events.js';
