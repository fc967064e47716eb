import { mintPlainId, PLAIN_TOOL_NAME, type FormatProfile } from './format-profile.js';

/**
 * Anthropic Messages without thinking.
 * - ids: `^[a-zA-Z0-9_-]+$` (error text of the API, `tool_use.id`); no length is published, ours are short.
 * - names: `^[a-zA-Z0-9_-]{1,128}$` for declared tools (github.com/modelcontextprotocol/modelcontextprotocol/issues/1345);
 *   64 is what older versions and Bedrock take (github.com/anthropics/claude-code/issues/5132), so 64 is the limit here.
 * - how many tools a request may declare is not published (20 where they are `strict`, which Weir does not send:
 *   github.com/camel-ai/camel/pull/4171), so the limit of the other providers is kept.
 * - text blocks must not be blank (github.com/LibreChat-AI/agents/pull/124 tried the cases), results stand first in the
 *   message behind their calls, consecutive messages of one role are joined by the API (Messages reference).
 * - an image has at most 5 MiB of base64 ("image exceeds 5 MB maximum", github.com/lobehub/lobehub/pull/14711), a request
 *   100 images and 32 MB (guide "Vision"); text gets its share of it. No side has more than 8,000 px, in a request with more
 *   than 20 images 2,000 px, and what has more is refused (platform.claude.com/docs/en/build-with-claude/vision#request-limits;
 *   github.com/langgenius/dify/issues/11177).
 * - images and documents may stand in user messages and in results.
 */
export const anthropic: FormatProfile = {
  callId: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64, mint: mintPlainId },
  toolName: PLAIN_TOOL_NAME,
  maxTools: 128,
  maxCallsPerMessage: null,
  images: { user: true, tool: true },
  imageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  documents: { user: true, tool: true },
  documentTypes: ['application/pdf'],
  documentsNeedText: false,
  fetchesUrls: true,
  maxPartChars: { image: 5_242_880, document: 24_000_000 },
  maxMedia: { images: 100, documents: 100, count: 100, chars: 24_000_000 },
  imageSide: { max: 8_000, crowded: { from: 20, max: 2_000 } },
  alternation: 'free',
  reasoning: 'none',
};
