import type { EventType } from './event-catalogue.js';

/**
 * Events of a step that only say that something begins. They are no progress: each worker that takes a step over writes them
 * anew, the one that the step will take down too.
 */
export const BEGINNINGS: readonly EventType[] = ['StepStarted', 'LlmCallStarted', 'ToolCallStarted'];
