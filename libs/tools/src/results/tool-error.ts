import type { ToolOutcome } from '#libs/engine';

/** A failure as a result for the model: both providers' wires lose the status, so the text says that it is an error. */
export function toolError(
  detail: string,
  { retryable = false, mayHaveTakenEffect = false }: { retryable?: boolean; mayHaveTakenEffect?: boolean } = {},
): ToolOutcome {
  return { status: 'error', content: `Error: ${detail}`, retryable, ...(mayHaveTakenEffect && { mayHaveTakenEffect }) };
}
