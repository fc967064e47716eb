import type { AssistantPart, ContentPart, Json, JsonObject, ToolCall, ToolResultStatus } from '#libs/domain';

/** The wire formats that the linter and the repair know. */
export const API_FORMATS = [
  'openai_chat',
  'openai_responses',
  'anthropic',
  'anthropic_thinking',
  'gemini',
  'bedrock',
  'strict_chat',
] as const;
export type ApiFormat = (typeof API_FORMATS)[number];

/** A message as sent, before any provider's form. `context_hash` is taken over this form. */
export type NeutralMessage =
  | { role: 'user'; content: ContentPart[] }
  | { role: 'assistant'; content: AssistantPart[]; tool_calls: ToolCall[] }
  | {
      role: 'tool';
      tool_call_id: string;
      name: string;
      status: Exclude<ToolResultStatus, 'pending'>;
      content: ContentPart[];
    };

/** A tool as the model sees it. `parameters` is a JSON Schema. */
export type ToolDeclaration = { name: string; description: string; parameters: JsonObject };

/** What goes to a model: Weir's neutral form, without cache marks. */
export type NeutralRequest = { system: string | null; messages: NeutralMessage[]; tools: ToolDeclaration[] };

/** Where the adapter may set a provider's cache mark: after `tools` and system, or after messages[index]. */
export type CacheBreakpoint = { after: 'system' } | { after: 'message'; index: number };

/** What a build must know of a model; part of the manifest, so a changed catalogue is seen. Prices are USD per million tokens. */
export type ModelFacts = {
  /** `connection:model` as the step names it. */
  id: string;
  apiFormat: ApiFormat;
  /** Tokens; null when unknown. */
  windowTokens: number | null;
  maxOutputTokens: number | null;
  promptCaching: boolean;
  /** Relative prices of one char of input: plain 1, cached read and write as ratios of it (0.1 / 1.25 where unknown). */
  cacheReadRatio: number;
  cacheWriteRatio: number;
  priceInput: number | null;
  priceCachedInput: number | null;
  priceCacheWrite: number | null;
  priceOutput: number | null;
  images: boolean;
  documents: boolean;
  /** Start ratio of tokens to the raw estimate, before the provider reported any usage. */
  tokenRatio: number;
  /** Chars per image and page, tokens per image and page. */
  weights: { imageChars: number; imageTokens: number; pageChars: number; pageTokens: number };
};

/** All else that a build depends on, stored by content hash; `StepStarted.manifest` names it. */
export type Manifest = {
  policy: JsonObject;
  system_prompt: string | null;
  tools: ToolDeclaration[];
  /** Tool name → its declared primary argument. */
  primary_arguments: { [tool: string]: string };
  model: ModelFacts;
  builder_version: string;
};

/** Aggregates of one build; lists stay out of the stored event. */
export type JsonReport = { [key: string]: Json };
