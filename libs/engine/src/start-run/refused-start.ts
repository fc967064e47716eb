import type { PipelineFault } from '#libs/domain';
import type { StartRunResult } from './start-run.js';

/** Thrown to roll the acceptance of a run back. Not checked before the Idempotency-Key is, so that replays stay replays. */
export class RefusedStart extends Error {
  override readonly name = 'RefusedStart';

  constructor(readonly result: StartRunResult) {
    super(`the run is not accepted: ${result.status}`);
  }
}

/** `on_busy: reject` on a stream that another run holds. */
export const streamBusy = (streamId: string): RefusedStart => new RefusedStart({ status: 'stream_busy', streamId });

export function deadlinePassed(found: string): RefusedStart {
  const detail = `the deadline ${found} has passed; give a time in the future, or none`;
  return invalid({ path: 'deadline', code: 'deadline_passed', found, expected: 'a time in the future', detail });
}

/** `messages` of a run whose stream has a conversation. */
export function conversationThere(subStream: string): RefusedStart {
  const expected = 'a stream without a conversation';
  const detail = `${subStream} has a conversation already; leave messages out to go on with it, or name another stream_id`;
  return invalid({ path: 'messages', code: 'conversation_exists', found: subStream, expected, detail });
}

const invalid = (fault: PipelineFault): RefusedStart => new RefusedStart({ status: 'invalid', faults: [fault] });
