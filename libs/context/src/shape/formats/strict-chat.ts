import { PLAIN_TOOL_NAME, type FormatProfile } from './format-profile.js';

/** Room for 65,536 calls in one answer and 1.5 thousand million entries in nine digits of base 36. */
const mintNine = (entry: number, ordinal: number): string => (entry * 65_536 + ordinal).toString(36).padStart(9, '0');

/**
 * Chat servers whose template checks the order of roles (Mistral and many local models).
 * - ids: exactly nine of a-z, A-Z, 0-9 (github.com/nearai/ironclaw/issues/1241).
 * - roles alternate, and no user message follows a tool result ("Unexpected role 'user' after role 'tool'",
 *   github.com/BerriAI/litellm/issues/17761; github.com/charmbracelet/crush/issues/279).
 * - names, tools and calls in one answer: no limits are published for such servers, so those of OpenAI are kept.
 * - text only: what a local template does with other parts is not known.
 */
export const strictChat: FormatProfile = {
  callId: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9, mint: mintNine },
  toolName: PLAIN_TOOL_NAME,
  maxTools: 128,
  maxCallsPerMessage: 128,
  images: { user: false, tool: false },
  imageTypes: [],
  documents: { user: false, tool: false },
  documentTypes: [],
  documentsNeedText: false,
  fetchesUrls: false,
  maxPartChars: { image: 0, document: 0 },
  maxMedia: { images: 0, documents: 0, count: 0, chars: 0 },
  imageSide: null,
  alternation: 'strict',
  reasoning: 'none',
};
