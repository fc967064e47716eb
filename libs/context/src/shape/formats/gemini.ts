import { mintPlainId, type FormatProfile } from './format-profile.js';

/**
 * Gemini `generateContent`.
 * - a turn with calls stands directly behind a user turn or a function response turn, and the next turn has as many
 *   responses as it has calls (github.com/google-gemini/gemini-cli/issues/3814): results are one turn, neighbours are merged.
 * - names: a letter or underscore first, then letters, digits, `_ . : -`, at most 64 (error text of the API,
 *   github.com/kaitranntt/ccs/issues/25); dots and colons are left to no other provider, so they are replaced here too.
 *   At most 128 tools on Vertex (cloud.google.com/vertex-ai/generative-ai/docs/model-reference/function-calling); the Gemini API
 *   publishes no limit.
 * - ids of calls are not sent: results stand in the order of their calls.
 * - a thought signature goes back on the part that it came on, as it came; parallel calls have it on the first one only
 *   (ai.google.dev/gemini-api/docs/thought-signatures). It belongs to its model.
 * - png, jpeg, webp, heic, heif and pdf as inline data; a request has at most 20 MB
 *   (ai.google.dev/gemini-api/docs/image-understanding) and 900 images on the strictest model (docs.cloud.google.com, "Image
 *   understanding", Gemini 3 Pro; 3,000 on 2.5 Pro), an inline image at most 7 MB
 *   (docs.cloud.google.com/gemini-enterprise-agent-platform/models/gemini/2-5-pro). For an inline PDF no smaller limit than that
 *   of the request was found. Addresses are not fetched by every model and version.
 * - a function response holds JSON, so media of results move into a user message behind them.
 */
export const gemini: FormatProfile = {
  callId: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64, mint: mintPlainId },
  toolName: {
    pattern: /^[a-zA-Z_][a-zA-Z0-9_-]*$/,
    maxLength: 64,
    words: 'a letter or underscore, then at most 63 letters, digits, underscores or hyphens',
  },
  maxTools: 128,
  maxCallsPerMessage: null,
  images: { user: true, tool: false },
  imageTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  documents: { user: true, tool: false },
  documentTypes: ['application/pdf'],
  documentsNeedText: false,
  fetchesUrls: false,
  maxPartChars: { image: 9_300_000, document: 16_000_000 },
  maxMedia: { images: 900, documents: 900, count: 900, chars: 16_000_000 },
  imageSide: null,
  alternation: 'merged',
  reasoning: 'thought_signatures',
};
