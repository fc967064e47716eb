export { CallLedger, readyUnmanaged, type LedgerCall } from './call-ledger.js';
export { lineJson, type CallLine, type TotalLine } from './call-line.js';
export { buildNext } from './build-next.js';
export { forcedPolicy } from './force-policy.js';
export {
  buildsOf,
  previewTranscript,
  recordedSession,
  type PreviewedCall,
  type RecordedSession,
} from './preview-transcript.js';
export { previewStored, type StoredPreview } from './preview-stored.js';
export type { PreviewedStream } from './preview-stream.js';
export { recordedToolNames } from './recorded-manifest.js';
export { replayDocument, replayTask, REPLAY_STEP, type ReplayDocument } from './replay-document.js';
export { modelOfCall, recordedModel, RECORDED_MODEL } from './recorded-model.js';
