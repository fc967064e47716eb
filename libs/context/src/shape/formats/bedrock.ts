import { mintPlainId, PLAIN_TOOL_NAME, type FormatProfile } from './format-profile.js';

/**
 * Amazon Bedrock Converse.
 * - user and assistant alternate, all results of an answer are blocks of one user message, and text does not stand beside
 *   them ("Conversation blocks and tool result blocks cannot be provided in the same turn",
 *   github.com/langchain-ai/langchain-aws/issues/141): an answer stands between results and the next user message.
 * - `toolUseId` and names: `[a-zA-Z0-9_-]+`, at most 64 (docs.aws.amazon.com/bedrock/latest/APIReference,
 *   API_runtime_ToolUseBlock, API_runtime_ToolSpecification).
 * - how many tools a request may declare is not published (API_runtime_ToolConfiguration names a least number only), so the
 *   limit of the other providers is kept.
 * - at most 20 images of 3.75 MB and 8,000 px a side, at most five documents of 4.5 MB, a text beside each document, all of
 *   it in user messages (the same reference, API_runtime_Message); blank text is refused ("The text field in the
 *   ContentBlock object is blank", github.com/OpenHands/OpenHands/issues/5722). The counts are kept for the whole request, since models behind it count so.
 * - sources are bytes or S3 locations, not addresses (API_runtime_ImageSource).
 * - `reasoningContent` goes back with its signature, unchanged, as redacted content does (API_runtime_ReasoningContentBlock).
 * - tools are declared whenever the history has calls (github.com/vxcontrol/pentagi/pull/196); `wire/bedrock.ts` sees to it.
 */
export const bedrock: FormatProfile = {
  callId: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64, mint: mintPlainId },
  toolName: PLAIN_TOOL_NAME,
  maxTools: 128,
  maxCallsPerMessage: null,
  images: { user: true, tool: true },
  imageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  documents: { user: true, tool: true },
  documentTypes: ['application/pdf'],
  documentsNeedText: true,
  fetchesUrls: false,
  maxPartChars: { image: 5_000_000, document: 6_000_000 },
  maxMedia: { images: 20, documents: 5, count: 25, chars: 24_000_000 },
  imageSide: { max: 8_000, crowded: { from: 20, max: 2_000 } },
  alternation: 'strict',
  reasoning: 'signed',
};
