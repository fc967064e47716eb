import type { ApiFormat } from '../neutral.js';
import { anthropic } from './formats/anthropic.js';
import { anthropicThinking } from './formats/anthropic-thinking.js';
import { bedrock } from './formats/bedrock.js';
import type { FormatProfile } from './formats/format-profile.js';
import { gemini } from './formats/gemini.js';
import { openaiChat } from './formats/openai-chat.js';
import { openaiResponses } from './formats/openai-responses.js';
import { strictChat } from './formats/strict-chat.js';

export type { FormatProfile, PartPlaces } from './formats/format-profile.js';

/** Every format. To add one: its profile in `formats/`, a line here and in `API_FORMATS`, its wire form in `wire/`. */
const profiles: { [format in ApiFormat]: FormatProfile } = {
  openai_chat: openaiChat,
  openai_responses: openaiResponses,
  anthropic,
  anthropic_thinking: anthropicThinking,
  gemini,
  bedrock,
  strict_chat: strictChat,
};

export const formatProfile = (format: ApiFormat): FormatProfile => profiles[format];
