export { exportTranscript, type ExportedTranscript } from './export-transcript.js';
export { transcriptSchema, type Transcript, type TranscriptMessage } from './transcript.js';
export {
  CONTINUE_TASK,
  replayPlan,
  type ReplayCall,
  type ReplayOutcome,
  type ReplayPlan,
  type ReplayResult,
  type ReplayRun,
} from './replay-plan.js';
