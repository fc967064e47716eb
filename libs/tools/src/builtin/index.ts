import type { BuiltinTool } from './builtin-tool.js';
import { memoryDelete } from './memory-delete.js';
import { memoryRead } from './memory-read.js';
import { memoryWrite } from './memory-write.js';
import { now } from './now.js';
import { readToolResult } from './read-tool-result.js';

/** Every builtin tool. To add one: its file in this folder and a line here. */
export const builtinTools: ReadonlyMap<string, BuiltinTool> = new Map(
  [memoryWrite, memoryRead, memoryDelete, readToolResult, now].map((tool) => [tool.name, tool]),
);

export type { BuiltinTool } from './builtin-tool.js';
