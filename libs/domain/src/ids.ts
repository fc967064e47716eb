/** `stream_id` as callers may choose it: the colon is ours (it separates sub-streams). Source: design/pipelines.md. */
export const STREAM_ID_PATTERN = /^[A-Za-z0-9_+@-][A-Za-z0-9._~@+-]{0,127}$/;

/** Step ids stand in sub-stream ids and expressions. */
export const STEP_ID_PATTERN = /^[a-z][a-z0-9_]{0,63}$/;

/** The sub-stream of a step, or of one item of a `for_each` body step. */
export function subStreamId(streamId: string, stepId: string, item: number | null): string {
  const base = `${streamId}:step:${stepId}`;
  return item === null ? base : `${base}:item:${item}`;
}

/** The stream that a stream or sub-stream id belongs to. */
export function rootStreamId(id: string): string {
  const colon = id.indexOf(':');
  return colon === -1 ? id : id.slice(0, colon);
}

/** BullMQ refuses `:` in job ids, so they are built here only (`^[A-Za-z0-9_-]+$`) and never re-used. */
export function jobId(stepRunId: string, dispatchNo: number): string {
  return `${stepRunId}-d${dispatchNo}`;
}
