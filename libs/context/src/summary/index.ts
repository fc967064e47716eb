export { buildSummary, summaryTextRoom, type BuildSummaryInput } from './build-summary.js';
export { extractiveAnswer, type ExtractiveAnswer, type ExtractiveQuestion } from './extractive-answer.js';
export { extractiveSummary, type ExtractiveSummaryInput } from './extractive-summary.js';
export { checkSummaryText, gateSummary, type SummaryGate, type SummaryTextCheck } from './gate.js';
export { estimateProfit, isProfitable, type ProfitEstimate } from './is-profitable.js';
export { breakerState, mayAskModels, type BreakerState } from './model-breaker.js';
export { chunkHistory, renderHistory } from './render-history.js';
export { sourceDigestBytes } from './source-digest.js';
export { summaryRequest, type SummaryRequestInput } from './summary-request.js';
