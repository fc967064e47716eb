import type { ModelFailureClass } from '#libs/engine';
import type { HttpFailure } from '../wire/wire-tap.js';
import { isOverflow } from './overflow-phrases.js';
import type { ProviderError } from './provider-error.js';

const KEY_REFUSED = 'the key was refused; correct api_key of this connection in weir.yml, then retry the run';

type Classified = { class: ModelFailureClass; explanation: string };

/** By type or code of the error itself: what it says counts more than the status it came with. */
const BY_NAME: readonly { names: RegExp; class: ModelFailureClass; explanation: string }[] = [
  {
    names: /^insufficient_quota$|^billing_/,
    class: 'authentication',
    explanation: 'the account has no quota or credit left',
  },
  { names: /^overloaded(?:_error)?$/, class: 'overloaded', explanation: 'the provider is overloaded' },
  { names: /^rate_limit/, class: 'rate_limited', explanation: 'the rate limit is reached' },
  {
    names: /^(?:authentication_error|permission_error|invalid_api_key)$/,
    class: 'authentication',
    explanation: KEY_REFUSED,
  },
  { names: /^(?:content_filter|content_policy_violation)$/, class: 'refused', explanation: 'the content was refused' },
  {
    names: /^(?:api_error|server_error|internal_error|timeout_error)$/,
    class: 'server_error',
    explanation: 'the provider failed',
  },
  {
    names: /^(?:not_found_error|model_not_found)$/,
    class: 'invalid_request',
    explanation: 'the model does not exist or is not open to this key',
  },
];

const BY_STATUS: readonly { from: number; to: number; class: ModelFailureClass; explanation: string }[] = [
  {
    from: 300,
    to: 399,
    class: 'invalid_request',
    explanation: 'the address redirects, which is not followed; correct base_url',
  },
  { from: 401, to: 401, class: 'authentication', explanation: KEY_REFUSED },
  { from: 402, to: 402, class: 'authentication', explanation: 'the account has no quota or credit left' },
  { from: 403, to: 403, class: 'authentication', explanation: 'the key may not use this model' },
  { from: 404, to: 404, class: 'invalid_request', explanation: 'the model or address does not exist' },
  { from: 408, to: 408, class: 'server_error', explanation: 'the provider timed out' },
  { from: 409, to: 409, class: 'server_error', explanation: 'the provider had a conflict' },
  { from: 413, to: 413, class: 'context_overflow', explanation: 'the request is too large' },
  { from: 429, to: 429, class: 'rate_limited', explanation: 'the rate limit is reached' },
  { from: 503, to: 503, class: 'overloaded', explanation: 'the provider is overloaded' },
  { from: 529, to: 529, class: 'overloaded', explanation: 'the provider is overloaded' },
  { from: 500, to: 599, class: 'server_error', explanation: 'the provider failed' },
];

/** Class of a provider's error. `status` null: it came inside a stream that had begun with 200. */
export function classifyProviderError(error: ProviderError, status: HttpFailure['status'] | null): Classified {
  if (status !== 429 && isOverflow(error.text))
    return { class: 'context_overflow', explanation: "the request is larger than the model's window" };
  const named = BY_NAME.find(({ names }) => error.names.some((name) => names.test(name)));
  if (named !== undefined) return named;
  const byStatus = BY_STATUS.find(({ from, to }) => status !== null && status >= from && status <= to);
  if (byStatus !== undefined) return byStatus;
  return status === null
    ? { class: 'server_error', explanation: 'the answer turned into an error' }
    : { class: 'invalid_request', explanation: 'the request was refused' };
}
