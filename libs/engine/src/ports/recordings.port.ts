import type { ReplayCall, ReplayRun } from '#libs/context';
import type { Json } from '#libs/domain';
import type { CallPosition } from './model.port.js';

/** Uploaded recordings. `hash` names the body's content. */
export interface Recordings {
  /** Cheap, unlike the body: asked at every call. Null: there is no such recording. */
  hash(projectId: string, name: string): Promise<string | null>;
  get(projectId: string, name: string): Promise<{ hash: string; body: Json } | null>;
}

/** What a recording holds at the position of a call. */
export type RecordedCall =
  | { status: 'call'; call: ReplayCall }
  /** The recorded run has no such call; `end` says how it ended. */
  | { status: 'ended'; end: ReplayRun['end'] }
  /** No such recording, it is none, or it has no such run. */
  | { status: 'missing'; detail: string };

/** Answers by position, never by content: which run of its sub-stream, which call in it. */
export type RecordedCalls = (recording: string, position: CallPosition) => Promise<RecordedCall>;
