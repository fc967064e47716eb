import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks (version 1 signatures). */
const SECRET_PREFIX = 'whsec_';
/** A signature older, or newer, than this is refused: who captured one cannot use it later. */
export const TOLERANCE_MS = 300_000;

/** `whsec_` and 32 random bytes in base64. */
export const mintWebhookSecret = (): string => `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;

/** Whether a sender's secret has the form that the standard asks for: 24 to 64 bytes in base64. */
export function isWebhookSecret(secret: string): boolean {
  const key = keyOf(secret);
  return key.length >= 24 && key.length <= 64 && key.toString('base64') === encoded(secret);
}

const encoded = (secret: string): string =>
  secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;

const keyOf = (secret: string): Buffer => Buffer.from(encoded(secret), 'base64');

/** The value of `webhook-signature`: one signature for each secret in force. `timestamp`: seconds since 1970. */
export function signWebhook(id: string, timestamp: number, body: string, secrets: readonly string[]): string {
  return secrets.map((secret) => `v1,${signatureOf(id, timestamp, body, secret)}`).join(' ');
}

function signatureOf(id: string, timestamp: number, body: string, secret: string): string {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
}

/** Whether one of the signatures is by one of the secrets. */
export function isSignedWebhook(
  given: { id: string; timestamp: number; body: string; signature: string },
  secrets: readonly string[],
): boolean {
  const signatures = given.signature.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  return secrets.some((secret) => {
    const expected = signatureOf(given.id, given.timestamp, given.body, secret);
    return signatures.some((signature) => isEqualText(signature, expected));
  });
}

/** Takes the same time wherever texts of one length differ. */
export function isEqualText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Seconds since 1970 as a header gives them; null: not a number, or too far from now. */
export function timestampInTime(text: string, nowMs: number): number | null {
  if (!/^\d{1,12}$/.test(text)) return null;
  const timestamp = Number(text);
  return Math.abs(nowMs - timestamp * 1000) <= TOLERANCE_MS ? timestamp : null;
}
