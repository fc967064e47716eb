export { importConversation, type ImportConversation, type ImportConversationResult } from './import-conversation.js';
export type { ImportReport } from './import-report.js';
