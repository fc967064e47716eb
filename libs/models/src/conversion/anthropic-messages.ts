import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { toWire, type ApiFormat, type CacheBreakpoint, type NeutralMessage, type NeutralRequest } from '#libs/context';
import type { JsonObject } from '#libs/domain';
import { z } from 'zod';

type Block = { type: string; [key: string]: unknown };

const CACHED = { type: 'ephemeral' } as const;
const MAX_BREAKPOINTS = 4;
/** Blocks that may carry no mark. */
const UNMARKED = new Set(['thinking', 'redacted_thinking']);

const wireTurn = z.object({ content: z.array(z.looseObject({ type: z.string() })) });

/** Each message is converted once, as long as it lives. */
const converted = new Map<ApiFormat, WeakMap<NeutralMessage, Block[]>>();

/**
 * A request as LangChain messages whose Messages form is that of `toWire`: results are `tool_result` blocks of human messages, which
 * LangChain passes through with their `is_error` (a ToolMessage would lose it). Marks are set on copies, the cached blocks never change.
 */
export function anthropicMessages(
  request: NeutralRequest,
  format: ApiFormat,
  breakpoints: readonly CacheBreakpoint[],
  instruction: string | null,
): BaseMessage[] {
  const marks = chosen(breakpoints);
  const marked = new Set(marks.flatMap((mark) => (mark.after === 'message' ? [mark.index] : [])));
  const turns: { role: 'user' | 'assistant'; blocks: Block[] }[] = [];
  for (const [index, message] of request.messages.entries()) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = marked.has(index) ? withMark(blocksOf(message, format)) : blocksOf(message, format);
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, blocks: [...blocks] });
  }
  const messages = turns.map(({ role, blocks }) =>
    role === 'user' ? new HumanMessage({ content: blocks }) : new AIMessage({ content: blocks }),
  );
  const system = systemBlocks(request.system, isSystemMarked(marks), instruction);
  return system.length === 0 ? messages : [new SystemMessage({ content: system }), ...messages];
}

/** Tools as the API takes them. The mark behind tools and system stands on the last tool where there is no system prompt. */
export function anthropicTools(
  request: NeutralRequest,
  format: ApiFormat,
  breakpoints: readonly CacheBreakpoint[],
): JsonObject[] {
  const tools = toWire({ ...request, system: null, messages: [] }, format).tools.map(withoutTopLevelChoice);
  const needsMark = request.system === null && isSystemMarked(breakpoints);
  return tools.map((tool, index) => ({
    ...tool,
    ...(needsMark && index === tools.length - 1 ? { cache_control: CACHED } : {}),
  }));
}

const isSystemMarked = (breakpoints: readonly CacheBreakpoint[]): boolean =>
  breakpoints.some(({ after }) => after === 'system');

/** Four at most: the first (tools and system) and the last ones, which reach farthest. */
function chosen(breakpoints: readonly CacheBreakpoint[]): CacheBreakpoint[] {
  if (breakpoints.length <= MAX_BREAKPOINTS) return [...breakpoints];
  const system = breakpoints.filter(({ after }) => after === 'system').slice(0, 1);
  const messages = breakpoints.filter(({ after }) => after === 'message');
  return [...system, ...messages.slice(-(MAX_BREAKPOINTS - system.length))];
}

function blocksOf(message: NeutralMessage, format: ApiFormat): Block[] {
  const cache = converted.get(format) ?? new WeakMap<NeutralMessage, Block[]>();
  converted.set(format, cache);
  const known = cache.get(message);
  if (known !== undefined) return known;
  const turn = wireTurn.parse(toWire({ system: null, messages: [message], tools: [] }, format).messages[0]);
  cache.set(message, turn.content);
  return turn.content;
}

function withMark(blocks: readonly Block[]): Block[] {
  const at = blocks.findLastIndex(({ type }) => !UNMARKED.has(type));
  return blocks.map((block, index) => (index === at ? { ...block, cache_control: CACHED } : block));
}

/** What is asked for besides the prompt stands behind the mark, so it does not change what is cached. */
function systemBlocks(system: string | null, isMarked: boolean, instruction: string | null): Block[] {
  const blocks: Block[] = [];
  if (system !== null) blocks.push({ type: 'text', text: system, ...(isMarked ? { cache_control: CACHED } : {}) });
  if (instruction !== null) blocks.push({ type: 'text', text: instruction });
  return blocks;
}

/**
 * The API refuses `oneOf`, `anyOf` and `allOf` at the top of a tool's schema, and LangChain leaves such tools out without a
 * word. They are sent without it: arguments are checked against the whole schema here anyway, and the model is told.
 */
function withoutTopLevelChoice(tool: JsonObject): JsonObject {
  const { input_schema: schema } = tool;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return tool;
  const { oneOf: _oneOf, anyOf: _anyOf, allOf: _allOf, ...rest } = schema;
  return { ...tool, input_schema: rest };
}
