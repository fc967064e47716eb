import type { AssistantPart } from '#libs/domain';

export const LINT_RULES = [
  'system_role',
  'first_role',
  'last_role',
  'alternation',
  'empty_content',
  'unsupported_part',
  'media_limit',
  'call_without_result',
  'result_without_call',
  'call_id',
  'repeated_call_id',
  'call_name',
  'call_count',
  'tool_name',
  'tool_count',
  'arguments',
  'malformed_text',
  'reasoning',
] as const;
export type LintRule = (typeof LINT_RULES)[number];
/** `index`: of the message, or null for what stands outside the messages. */
export type Violation = { rule: LintRule; index: number | null; detail: string };

export type LintOptions = {
  /** The model's id, to tell whose reasoning may be sent, and what it reads; without it every part that the format takes passes. */
  model?: { id: string; images: boolean; documents: boolean };
  /** The stored answers behind assistant messages: with them reasoning is compared, without them only its form is checked. */
  answers?: readonly { index: number; model: string; content: readonly AssistantPart[] }[];
};
