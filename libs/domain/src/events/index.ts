export * from './beginnings.js';
export * from './content.js';
export * from './conversation-events.js';
export * from './event.js';
export { exactCheck } from './exact-check.js';
export * from './event-catalogue.js';
export {
  ERASED_DIGEST,
  runErrorSchema,
  spendLimitSchema,
  waitReasonSchema,
  type RunError,
  type StoredSpendLimit,
  type WaitReason,
} from './run-events.js';
export { approvalDecisionSchema, approvalKindSchema, type ApprovalDecision, type ApprovalKind } from './wait-events.js';
