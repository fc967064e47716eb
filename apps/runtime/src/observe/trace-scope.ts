import { AsyncLocalStorage } from 'node:async_hooks';
import type { OpenSpan } from '#libs/platform';

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

/** A job: its span begins with the claim, which tells what trace it belongs to, and ends here. */
export async function inJobScope(work: () => Promise<void>): Promise<void> {
  const scope: TraceScope = { traceparent: null, span: null };
  try {
    await scopes.run(scope, work);
  } catch (error) {
    scope.span?.fail('interrupted');
    throw error;
  } finally {
    scope.span?.end();
  }
}
