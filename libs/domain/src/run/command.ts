import type { RunError } from '../events/run-events.js';
import type { Json, JsonObject } from '../json.js';
import type { StepPlace } from './run-state.js';

/** `attempt`: the one that begins; above 1 for a step that had a row before a retry. */
type At = StepPlace & { readonly kind: string; readonly attempt: number };

/** What must happen next to steps of one scope; the engine performs them in this order in one transaction. */
export type StepCommand =
  | ({ type: 'queue_step' } & At)
  | ({ type: 'skip_step'; reason: 'when_false' | 'dependency_skipped' | 'dependency_failed' } & At)
  /** The step could not even start: an expression of its own cannot be evaluated. */
  | ({ type: 'fail_step'; error: RunError } & At)
  /** No worker is needed: the step waits from the start. */
  | ({ type: 'open_wait'; wait: OpenWait } & At)
  /** A `for_each` begins over these elements. */
  | ({ type: 'expand_items'; items: readonly Json[] } & At)
  /** A `repeat` begins with its first round. */
  | ({ type: 'begin_rounds' } & At);

export type OpenWait =
  | { readonly for: 'time'; readonly until: SleepEnd }
  | {
      readonly for: 'approval';
      readonly prompt: string;
      readonly form: JsonObject | null;
      readonly timeoutMs: number | null;
    }
  | { readonly for: 'signal'; readonly signal: string; readonly key: string; readonly timeoutMs: number | null };

export type SleepEnd =
  | { readonly type: 'duration'; readonly durationMs: number }
  /** RFC 3339 with an offset. */
  | { readonly type: 'until'; readonly at: string };

/** How a scope ends when all of its steps have. */
export type ScopeEnd =
  | { readonly kind: 'succeeded'; readonly output: Json }
  | { readonly kind: 'failed' | 'dead_letter'; readonly error: RunError };
