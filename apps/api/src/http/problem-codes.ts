type ProblemKind = { readonly status: number; readonly title: string; readonly retryable?: true };

/** Every code that this API answers with, and the only place where codes meet HTTP statuses. */
export const PROBLEM_CODES = {
  malformed_json: { status: 400, title: 'The body is not JSON' },
  malformed_yaml: { status: 400, title: 'The body is not YAML' },
  malformed_request: { status: 400, title: 'The request is malformed' },
  cursor_invalid: { status: 400, title: 'The cursor does not belong to this list' },
  key_missing: { status: 401, title: 'An API key is needed' },
  key_invalid: { status: 401, title: 'The API key is not valid' },
  delivery_unverified: { status: 401, title: 'The delivery is not verified' },
  scope_missing: { status: 403, title: 'The API key lacks a scope' },
  route_not_found: { status: 404, title: 'There is no such route' },
  project_not_found: { status: 404, title: 'There is no such project' },
  api_key_not_found: { status: 404, title: 'There is no such API key' },
  pipeline_not_found: { status: 404, title: 'There is no such pipeline' },
  pipeline_version_not_found: { status: 404, title: 'There is no such version of the pipeline' },
  run_not_found: { status: 404, title: 'There is no such run' },
  step_not_found: { status: 404, title: 'There is no such step' },
  call_not_found: { status: 404, title: 'There is no such call' },
  stream_not_found: { status: 404, title: 'There is no such stream' },
  approval_not_found: { status: 404, title: 'There is no such approval' },
  compaction_not_found: { status: 404, title: 'There is no such compaction' },
  schedule_not_found: { status: 404, title: 'There is no such schedule' },
  webhook_endpoint_not_found: { status: 404, title: 'There is no such webhook endpoint' },
  hook_not_found: { status: 404, title: 'There is no such hook' },
  dead_letter_not_found: { status: 404, title: 'There is no such dead letter' },
  recording_not_found: { status: 404, title: 'There is no such recording' },
  request_timeout: { status: 408, title: 'The request did not arrive in time', retryable: true },
  project_exists: { status: 409, title: 'The project exists already' },
  wrong_state: { status: 409, title: 'The present state does not allow this' },
  stream_busy: { status: 409, title: 'The stream is busy' },
  body_too_large: { status: 413, title: 'The body is too large' },
  media_type_unsupported: { status: 415, title: 'The media type is not supported' },
  invalid_request: { status: 422, title: 'The request does not fit its schema' },
  invalid_inputs: { status: 422, title: "The inputs do not fit the pipeline's declaration" },
  pipeline_invalid: { status: 422, title: 'The pipeline has faults' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key was used with another body' },
  too_many_requests: { status: 429, title: 'Too many requests', retryable: true },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal_error: { status: 500, title: 'Weir failed to answer' },
  not_ready: { status: 503, title: 'Weir is not ready', retryable: true },
  process_stalled: { status: 503, title: 'The process makes no progress any more', retryable: true },
  database_unavailable: { status: 503, title: 'The database cannot be reached', retryable: true },
  temporarily_unavailable: { status: 503, title: 'Something this request needs cannot be reached', retryable: true },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

export const problemKind = (code: ProblemCode): ProblemKind => PROBLEM_CODES[code];
export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(PROBLEM_CODES, code);

/** The code for what a framework answers with a bare status. */
export function codeOfStatus(status: number): ProblemCode {
  return BY_STATUS.get(status) ?? (status >= 400 && status < 500 ? 'malformed_request' : 'internal_error');
}

const BY_STATUS: ReadonlyMap<number, ProblemCode> = new Map([
  [404, 'route_not_found'],
  [413, 'body_too_large'],
  [415, 'media_type_unsupported'],
  [429, 'too_many_requests'],
  [431, 'headers_too_large'],
  [503, 'temporarily_unavailable'],
]);
