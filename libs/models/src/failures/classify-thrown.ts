import { addressRefusal } from '#libs/outbound';
import { modelFailure, type ModelFailure } from '../outcome/model-failure.js';
import type { WireTap } from '../wire/wire-tap.js';
import { classifyProviderError } from './classify-provider-error.js';
import { readProviderError } from './provider-error.js';
import { safeDetail } from './safe-detail.js';

type Received = NonNullable<Parameters<typeof modelFailure>[2]>;
type Sent = { provider: string; keys: readonly string[] };

/**
 * What a client threw, as an outcome. Order: an address that may not be reached, a status, an error inside a stream, the network,
 * an answer that cannot be read, a request that the client itself refused. Null: none of them, so it is a bug.
 */
export function classifyThrown(error: unknown, tap: WireTap, sent: Sent, received: Received): ModelFailure | null {
  const refusal = addressRefusal(error);
  if (refusal !== null) return modelFailure('invalid_request', `${sent.provider}: ${refusal.message}.`, received);
  if (tap.httpFailure !== null) {
    const { status, text, retryAfterMs } = tap.httpFailure;
    return providerFailure(text, status, tap, sent, { ...received, retryAfterMs });
  }
  const inStream = streamError(error);
  if (inStream !== null) return providerFailure(inStream, null, tap, sent, received);
  const network = networkCode(error);
  if (network !== null)
    return modelFailure('network', `${sent.provider}: the connection failed (${network}).`, received);
  if (tap.hasAnswer)
    return modelFailure(
      'server_error',
      `${sent.provider}: the answer cannot be read: ${safeDetail(messageOf(error), tap.sentText, sent.keys)}`,
      received,
    );
  if (error instanceof TypeError || error instanceof ReferenceError) return null;
  return modelFailure(
    'invalid_request',
    `${sent.provider}: ${safeDetail(messageOf(error), tap.sentText, sent.keys)}`,
    received,
  );
}

function providerFailure(
  body: unknown,
  status: number | null,
  tap: WireTap,
  sent: Sent,
  received: Received,
): ModelFailure {
  const error = readProviderError(body);
  const { class: failureClass, explanation } = classifyProviderError(error, status);
  const where = `${sent.provider}: ${explanation}${status === null ? '' : ` (HTTP ${status})`}`;
  // Messages about keys quote them in ways that no pattern covers.
  const said = failureClass === 'authentication' ? '' : safeDetail(error.message, tap.sentText, sent.keys);
  return modelFailure(failureClass, said === '' ? `${where}.` : `${where}: ${said}`, received);
}

/** The payload that both SDKs keep in `error` of the error they throw for an event inside a stream. */
function streamError(error: unknown): unknown {
  for (const layer of causes(error)) {
    if ('error' in layer && typeof layer.error === 'object' && layer.error !== null) return layer.error;
  }
  return null;
}

function networkCode(error: unknown): string | null {
  const layers = causes(error);
  const code = layers
    .map((layer) => ('code' in layer && typeof layer.code === 'string' ? layer.code : ''))
    .find((given) => NETWORK_CODE.test(given));
  if (code !== undefined) return code;
  return layers.some(({ message }) => message === 'terminated' || message === 'fetch failed') ? 'closed early' : null;
}

const NETWORK_CODE =
  /^(?:E[A-Z]{3,}|EAI_[A-Z]+|UND_ERR_[A-Z_]+|CERT_[A-Z_]+|DEPTH_ZERO_[A-Z_]+|SELF_SIGNED_[A-Z_]+|UNABLE_TO_[A-Z_]+|HPE_[A-Z_]+)$/;

type ErrorLike = { message: string; cause?: unknown };

/** The error and its causes. By shape: errors of another realm (a `vm` context) are no instances of this one's Error. */
function causes(error: unknown): ErrorLike[] {
  const layers: ErrorLike[] = [];
  let current: unknown = error;
  while (isErrorLike(current) && layers.length < 8) {
    layers.push(current);
    current = current.cause;
  }
  return layers;
}

const isErrorLike = (value: unknown): value is ErrorLike =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
