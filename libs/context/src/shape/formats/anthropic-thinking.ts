import { anthropic } from './anthropic.js';
import type { FormatProfile } from './format-profile.js';

/**
 * Anthropic Messages with extended thinking: blocks of the current exchange go back whole and unchanged, signature
 * included; a message that has some begins with them ("a final assistant message must start with a thinking block",
 * github.com/anomalyco/opencode/issues/3077). A signature is bound to its model: blocks of another one are left out.
 */
export const anthropicThinking: FormatProfile = { ...anthropic, reasoning: 'signed' };
