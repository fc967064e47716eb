import type { ResolvedTool } from '../ports/tool.port.js';

/** Whether a call may simply be made again: then nobody needs to know that it had started, and its start is written with its result. */
export const mayRunAgain = ({ effect }: Pick<ResolvedTool, 'effect'>): boolean =>
  effect === 'read_only' || effect === 'idempotent';
