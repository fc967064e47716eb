import type { eventCatalogue } from '../events/event-catalogue.js';
import type { EventType } from '../events/index.js';

/** What webhook endpoints can subscribe to: the turns of a run and what people are asked. */
export const ANNOUNCED_EVENT_TYPES = [
  'RunCreated',
  'RunStarted',
  'RunSucceeded',
  'RunFailed',
  'RunCancelled',
  'RunTimedOut',
  'RunDeadLettered',
  'RunRetried',
  'RunPaused',
  'RunResumed',
  'StepFailed',
  'StepDeadLettered',
  'ApprovalRequested',
  'ApprovalDecided',
] as const satisfies readonly (keyof typeof eventCatalogue)[];
export type AnnouncedEventType = (typeof ANNOUNCED_EVENT_TYPES)[number];

/** The end of a run, whichever: what an endpoint gets that names no types. */
export const END_EVENT_TYPES = [
  'RunSucceeded',
  'RunFailed',
  'RunCancelled',
  'RunTimedOut',
  'RunDeadLettered',
] as const satisfies readonly AnnouncedEventType[];

const announced: ReadonlySet<string> = new Set(ANNOUNCED_EVENT_TYPES);
export const isAnnounced = (type: EventType): type is AnnouncedEventType => announced.has(type);
