export * from './conversation.js';
export { countCodePoints, cutEnd, cutStart, abbreviate } from './cut-text.js';
export { formatProfile, type FormatProfile } from './formats.js';
export { lint } from './lint.js';
export { CANCELLED_RESULT, INTERRUPTED_RESULT, repairConversation } from './repair.js';
export { shape } from './to-messages.js';
export { fitToolName } from './tool-name.js';
export { LINT_RULES, type LintOptions, type LintRule, type Violation } from './violation.js';
export { isBlank, isWellFormed, wellFormed, wellFormedJson } from './well-formed.js';
