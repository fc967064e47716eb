import { AsyncLocalStorage } from 'node:async_hooks';
import type { OpenSpan, Tracing } from '#libs/platform';

/** What is done for one request or one job. */
export type TraceScope = {
  /** Of the span under way, or what the caller sent; runs that are started here are stored with it. */
  traceparent: string | null;
  span: OpenSpan | null;
};

const scopes = new AsyncLocalStorage<TraceScope>();

export const traceScope = (): TraceScope | null => scopes.getStore() ?? null;

export function inTraceScope<T>(scope: TraceScope, work: () => T): T {
  return scopes.run(scope, work);
}

/**
 * A job's work: its span begins when what it is about is known, and ends here. While tracing is off there is no scope: once a process
 * has one, each promise that it makes costs more.
 */
export async function inJobScope<T>({ start }: Tracing, work: (scope: TraceScope | null) => Promise<T>): Promise<T> {
  if (start === null) return work(null);
  const scope: TraceScope = { traceparent: null, span: null };
  try {
    return await scopes.run(scope, () => work(scope));
  } catch (error) {
    scope.span?.fail('interrupted');
    throw error;
  } finally {
    scope.span?.end();
  }
}
