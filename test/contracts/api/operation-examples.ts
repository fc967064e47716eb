import { chatPipeline } from './test-api.js';

/** A valid body, and statuses that a valid request may get here. */
export const bodies: Record<string, unknown> = {
  applyPipeline: chatPipeline('chat'),
  validatePipeline: chatPipeline('chat'),
  startRun: { inputs: { message: 'hi' } },
  labelRun: { tags: ['a'] },
  setPipelineAlias: { version: 1 },
  createProject: { id: 'contract' },
  createApiKey: { name: 'k', scopes: ['runs:read'] },
  cancelRun: {},
  retryRun: { version: 'live' },
  pauseRun: {},
  resumeRun: { spend_limit: { tokens: 10 } },
  decideApproval: { decision: 'approve' },
  sendSignal: { key: 'k', payload: { any: 'thing' } },
  completeToolCall: { tool_call_id: 'call_1', content: 'late' },
  previewContext: { policy: { preset: 'chat' } },
  requestCompaction: { step_id: 'answer' },
  putSchedule: { cron: '0 9 * * *', start: { pipeline: 'chat', inputs: { message: '${tick.date}' } } },
  createWebhookEndpoint: { url: 'https://example.com/in' },
  changeWebhookEndpoint: { description: 'changed' },
  rotateWebhookSecret: { overlap: '1h' },
  redeliverWebhooks: { status: 'dead' },
  putHook: {
    verification: { kind: 'hmac_sha256', header: 'X-Signature' },
    action: { signal: { name: 'paid', key: '${headers["host"]}', payload: '${body}' } },
  },
  rotateHookSecret: {},
  actOnRuns: { action: 'cancel', filter: { pipeline: 'chat' }, dry_run: true },
  putRecording: { messages: [{ role: 'user', content: 'hi' }] },
  importConversation: { step_id: 'answer', transcript: [{ role: 'user', content: 'hi' }] },
};
/** A body may be left out. */
export const optionalBodies = new Set([
  'cancelRun',
  'retryRun',
  'pauseRun',
  'resumeRun',
  'requestCompaction',
  'rotateWebhookSecret',
  'rotateHookSecret',
]);
/** Under a new name it makes something. */
export const creating = new Set([
  'applyPipeline',
  'putRecording',
  'sendSignal',
  'importConversation',
  'putSchedule',
  'putHook',
]);
/** What the others need. */
export const deleting = new Set([
  'eraseRun',
  'eraseStream',
  'deletePipeline',
  'deleteSchedule',
  'deleteWebhookEndpoint',
  'deleteHook',
]);
export const otherAnswers: Record<string, number> = {
  cancelRun: 409,
  retryRun: 409,
  pauseRun: 409,
  resumeRun: 409,
  getApproval: 404,
  decideApproval: 404,
  completeToolCall: 404,
  getDeadLetter: 404,
  redriveDeadLetter: 404,
  discardDeadLetter: 404,
  getCompaction: 404,
  listCompactionEvents: 404,
  retryCompaction: 404,
  rollBackCompaction: 404,
  requestCompaction: 409,
};
