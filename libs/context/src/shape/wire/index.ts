import type { ApiFormat, NeutralRequest } from '../../neutral.js';
import { anthropicBody } from './anthropic.js';
import { bedrockBody } from './bedrock.js';
import { geminiBody } from './gemini.js';
import { openaiChatBody, strictChatBody } from './openai-chat.js';
import { openaiResponsesBody } from './openai-responses.js';
import type { WireBody } from './wire-body.js';

export type { WireBody } from './wire-body.js';

/** Every format's wire form; a new format gets its file in this folder and a line here. */
const bodies: { [format in ApiFormat]: (request: NeutralRequest) => WireBody } = {
  openai_chat: openaiChatBody,
  openai_responses: openaiResponsesBody,
  anthropic: anthropicBody,
  anthropic_thinking: anthropicBody,
  gemini: geminiBody,
  bedrock: bedrockBody,
  strict_chat: strictChatBody,
};

/** A linted request as the body parts that the provider of this format takes. */
export const toWire = (request: NeutralRequest, format: ApiFormat): WireBody => bodies[format](request);
