import { AppError, canonicalJson } from '#libs/domain';
import { sha256 } from '../new-event.js';
import type { IdempotencyKey } from '../ports/run-store.port.js';
import type { StartRun } from './start-run.js';

/** The key of a start with the hash of its body; null: the caller sent none. */
export function idempotencyOf(command: StartRun): IdempotencyKey | null {
  if (command.idempotencyKey === null) return null;
  const { pipeline, version, inputs, streamId, tags, metadata, priority, deadlineAt } = command;
  const { spendLimit = null, messages = null, delayMs = null } = command;
  const requestHash = sha256(
    canonicalJson({
      pipeline,
      version,
      inputs,
      streamId,
      tags,
      metadata,
      priority,
      deadlineAt,
      // Requests from before these existed keep their hash.
      ...(spendLimit === null ? {} : { spendLimit }),
      ...(messages === null ? {} : { messages: sha256(JSON.stringify(messages)) }),
      ...(delayMs === null ? {} : { delayMs }),
    }),
  );
  return { projectId: command.projectId, scope: `runs:${pipeline}`, key: command.idempotencyKey, requestHash };
}

export function storedRunId(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'run_id' in body && typeof body.run_id === 'string')
    return body.run_id;
  throw new AppError('idempotency_row_broken', 'the stored answer of this Idempotency-Key names no run');
}
