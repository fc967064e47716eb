import { createHmac } from 'node:crypto';
import { sha256 } from '../new-event.js';
import { secretMatches } from '../api-keys/api-key.js';
import { isEqualText, isSignedWebhook, timestampInTime } from '../webhooks/signature.js';
import type { HookDelivery, HookWithSecrets } from './hook-record.js';

export type Verified =
  /** `standardId`: what the sender's standard calls this delivery; null: nothing. */
  | { ok: true; standardId: string | null }
  /** What the sender has to do, as a sentence that holds no secret. */
  | { ok: false; detail: string };

/** Whether a delivery comes from who knows the hook's secret, and is not an old one played again. */
export function verifyDelivery(hook: HookWithSecrets, delivery: HookDelivery, nowMs: number): Verified {
  const { verification } = hook;
  switch (verification.kind) {
    case 'standard_webhooks':
      return verifyStandard(hook, delivery, nowMs);
    case 'token':
      return verifyToken(hook, delivery);
    case 'hmac_sha256':
      return verifyHmac(hook, verification, delivery, nowMs);
  }
}

function verifyStandard(hook: HookWithSecrets, { headers, body }: HookDelivery, nowMs: number): Verified {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signature = '' } = headers;
  if (id === '' || time === '' || signature === '')
    return refused('Send the headers webhook-id, webhook-timestamp and webhook-signature (Standard Webhooks).');
  const timestamp = timestampInTime(time, nowMs);
  if (timestamp === null) return refused('The webhook-timestamp is more than five minutes away from now.');
  if (!isSignedWebhook({ id, timestamp, body, signature }, hook.secrets))
    return refused('No signature in webhook-signature is by this hook’s secret.');
  return { ok: true, standardId: id };
}

function verifyToken(hook: HookWithSecrets, { headers }: HookDelivery): Verified {
  const token = tokenIn(headers['authorization'] ?? '');
  if (token !== null && hook.secrets.some((hash) => secretMatches(token, hash))) return trusted({ headers });
  return refused('Send the hook’s token: `Authorization: Bearer <token>`, or as the password of Basic.');
}

/** Of a delivery that nothing in it has to prove. */
export const trusted = ({ headers }: Pick<HookDelivery, 'headers'>): Verified & { ok: true } => ({
  ok: true,
  standardId: headers['idempotency-key'] ?? headers['webhook-id'] ?? null,
});

function tokenIn(authorization: string): string | null {
  const [scheme = '', value = ''] = authorization.trim().split(/ +/);
  if (scheme.toLowerCase() === 'bearer' && value !== '') return value;
  if (scheme.toLowerCase() !== 'basic') return null;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? null : pair.slice(colon + 1);
}

function verifyHmac(
  hook: HookWithSecrets,
  verification: HookWithSecrets['verification'] & { kind: 'hmac_sha256' },
  { headers, body }: HookDelivery,
  nowMs: number,
): Verified {
  const { header, prefix, encoding, signed, timestamp_header: timestampHeader } = verification;
  const given = headers[header] ?? '';
  if (!given.startsWith(prefix) || given === prefix)
    return refused(`Send the signature in the header ${header}${prefix === '' ? '' : `, after ${prefix}`}.`);
  const time = timestampHeader === null ? '' : (headers[timestampHeader] ?? '');
  if (timestampHeader !== null && timestampInTime(time, nowMs) === null)
    return refused(`The header ${timestampHeader} must be within five minutes of now, in seconds since 1970.`);
  // A function: a body is put in as it is, whatever it contains.
  const content = signed.replace(/\{timestamp\}|\{body\}/g, (place) => (place === '{body}' ? body : time));
  const signature = given.slice(prefix.length);
  const isSigned = hook.secrets.some((secret) =>
    isEqualText(
      encoding === 'hex' ? signature.toLowerCase() : signature,
      createHmac('sha256', secret).update(content).digest(encoding),
    ),
  );
  if (!isSigned) return refused(`The signature in ${header} is not by this hook’s secret.`);
  // Without an id the signed content stands for the delivery: what was captured cannot be played again.
  return { ok: true, standardId: headers['webhook-id'] ?? sha256(content) };
}

const refused = (detail: string): Verified => ({ ok: false, detail });
