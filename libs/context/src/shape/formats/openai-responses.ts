import { mintPlainId, PLAIN_TOOL_NAME, type FormatProfile } from './format-profile.js';

/**
 * OpenAI Responses, stateless: `store: false`, the whole conversation as `input` items.
 * - a reasoning item goes back with its `encrypted_content`; by its id alone it is not found ("Items are not persisted when
 *   `store` is set to false", github.com/openai/openai-agents-python/issues/919), and it needs the item that followed it
 *   ("provided without its required following item", github.com/OpenHands/software-agent-sdk/pull/2178).
 * - `call_id` has at most 64 chars ("Expected a string with maximum length 64", github.com/AnswerDotAI/fastllm/issues/45), names
 *   are those of Chat Completions (developers.openai.com/api/reference/responses).
 * - `function_call_output.output` is text or a list of input_text, input_image, input_file
 *   (javadoc.io/static/com.openai/openai-java/4.27.0, ResponseFunctionCallOutputItem).
 * - images, files and their sizes as in Chat Completions (guide "Images and vision").
 * - neighbours of one role are accepted: `input` is a list of items, not of turns.
 */
export const openaiResponses: FormatProfile = {
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
  maxPartChars: { image: 20_000_000, document: 20_000_000 },
  maxMedia: { images: 500, documents: 500, count: 500, chars: 40_000_000 },
  imageSide: null,
  alternation: 'free',
  reasoning: 'encrypted',
};
