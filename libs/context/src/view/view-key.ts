import type { ViewSpec } from '../build-result.js';

/** Tells views of one sub-stream apart: calls, frontiers and compactions of one view say nothing about another. */
export const viewKey = (spec: ViewSpec): string =>
  spec.mode === 'inherit' ? 'inherit' : `fresh:${spec.runId ?? ''}:${spec.cutoffSeq ?? 0}`;

/** How compaction events name the view. */
export const viewRunId = (spec: ViewSpec): string | null => (spec.mode === 'inherit' ? null : spec.runId);

/** Seq of the last event before the view; its ranges begin right after it. */
export const viewCutoff = (spec: ViewSpec): number => (spec.mode === 'inherit' ? 0 : (spec.cutoffSeq ?? 0));

/** Whether the view's step may see what a run wrote at this seq. */
export function isInView(spec: ViewSpec, event: { readonly seq: number; readonly runId: string | null }): boolean {
  return spec.mode === 'inherit' || (event.seq > viewCutoff(spec) && event.runId === spec.runId);
}
