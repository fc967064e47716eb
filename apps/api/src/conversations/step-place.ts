import { rootStreamId, STEP_ID_PATTERN, STREAM_ID_PATTERN, subStreamId } from '#libs/domain';
import { listLogsOfStream, type ReadDatabase } from '#libs/event-store';
import { notFound, ProblemError } from '../http/problem-error.js';
import { jsonPointer } from '../http/json-pointer.js';

/** One step's conversation on a stream. */
export type StepPlace = { rootStream: string; subStream: string; stepId: string; item: number | null };

type Wanted = { projectId: string; streamId: string; stepId: string | null; item: number | null };

/**
 * The conversation that is meant: of a sub-stream's id the one it names, of a stream's id that of `stepId`, or its only one.
 * @throws ProblemError `stream_not_found`, or `invalid_request` with the logs that there are.
 */
export async function findStepPlace(db: ReadDatabase, wanted: Wanted, found: 'query' | 'body'): Promise<StepPlace> {
  const { projectId, streamId, stepId, item } = wanted;
  const rootStream = rootStreamId(streamId);
  const logs = (await listLogsOfStream(db, projectId, rootStream)).map((log) => log.streamId);
  if (!logs.includes(streamId)) throw notFound('stream_not_found', `Stream ${streamId}`);
  const subStreams = logs.filter((id) => id !== rootStream);
  const asked = stepId === null ? null : subStreamId(rootStream, stepId, item);
  const named = streamId === rootStream ? asked : streamId;
  const [only, ...others] = named === null ? subStreams : subStreams.filter((id) => id === named);
  if (only === undefined || others.length > 0) throw unknownStep(rootStream, subStreams, found);
  return { rootStream, subStream: only, ...stepOf(only) };
}

/** The conversation that is to be, also where there is none yet. @throws ProblemError `invalid_request` */
export function newStepPlace({ streamId, stepId, item }: Omit<Wanted, 'projectId'>): StepPlace {
  const rootStream = rootStreamId(streamId);
  if (!STREAM_ID_PATTERN.test(rootStream))
    throw invalid('path', 'stream', 'expected 1 to 128 of A-Z a-z 0-9 . _ ~ @ + - and not starting with . or ~');
  if (streamId !== rootStream) {
    const place = stepOf(streamId);
    if (subStreamId(rootStream, place.stepId, place.item) !== streamId || !STEP_ID_PATTERN.test(place.stepId))
      throw invalid('path', 'stream', 'expected {stream_id} or {stream_id}:step:{step_id}[:item:{n}]');
    return { rootStream, subStream: streamId, ...place };
  }
  if (stepId === null)
    throw invalid('body', 'step_id', 'expected the step whose conversation this is, for instance "answer"');
  return { rootStream, subStream: subStreamId(rootStream, stepId, item), stepId, item };
}

export function invalid(place: 'query' | 'body' | 'path', field: string, detail: string): ProblemError {
  const errors = [{ in: place, pointer: jsonPointer([field]), code: 'invalid', detail }];
  return new ProblemError('invalid_request', `${field}: ${detail}`, { errors });
}

function unknownStep(streamId: string, logs: readonly string[], place: 'query' | 'body'): ProblemError {
  const steps = logs.map((id) => id.slice(streamId.length + 1)).join(', ');
  const detail = `Logs of this stream: ${steps === '' ? 'none' : steps}.`;
  const errors = [{ in: place, pointer: jsonPointer(['step_id']), code: 'unknown_step', detail }];
  return new ProblemError('invalid_request', `Name one step of stream ${streamId} that has a conversation.`, {
    errors,
  });
}

function stepOf(subStream: string): { stepId: string; item: number | null } {
  const [, , stepId = '', , item] = subStream.split(':');
  return { stepId, item: item === undefined ? null : Number(item) };
}
