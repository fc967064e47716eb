import { mintPlainId, PLAIN_TOOL_NAME, type FormatProfile } from './format-profile.js';

/**
 * OpenAI Chat Completions and compatible servers.
 * - ids: at most 40 chars ("string too long. Expected a string with maximum length 40", github.com/vercel/ai/issues/5171);
 *   no charset is published, so ours is what all providers take.
 * - names: `^[a-zA-Z0-9_-]+$`, at most 64 chars (API reference, `function.name`).
 * - at most 128 tools (github.com/openai/openai-openapi/pull/76) and 128 calls in one message
 *   (github.com/github/copilot-cli/issues/669).
 * - tool messages hold text only; user messages take images (png, jpeg, gif, webp) and PDF files (API reference), so media
 *   of results move into a user message behind them.
 * - at most 500 images and 50 MB in one request (guide "Images and vision"); text gets its share of it.
 * - neighbours of one role are accepted, reasoning is not sent back.
 */
export const openaiChat: FormatProfile = {
  callId: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 40, mint: mintPlainId },
  toolName: PLAIN_TOOL_NAME,
  maxTools: 128,
  maxCallsPerMessage: 128,
  images: { user: true, tool: false },
  imageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  documents: { user: true, tool: false },
  documentTypes: ['application/pdf'],
  documentsNeedText: false,
  fetchesUrls: true,
  maxPartChars: { image: 20_000_000, document: 20_000_000 },
  maxMedia: { images: 500, documents: 500, count: 500, chars: 40_000_000 },
  imageSide: null,
  alternation: 'free',
  reasoning: 'none',
};
