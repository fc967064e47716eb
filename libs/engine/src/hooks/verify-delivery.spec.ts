import { createHmac } from 'node:crypto';
import { hookVerificationSchema } from '#libs/domain';
import { sha256 } from '../new-event.js';
import { mintWebhookSecret, signWebhook } from '../webhooks/signature.js';
import type { HookDelivery, HookWithSecrets } from './hook-record.js';
import { verifyDelivery } from './verify-delivery.js';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const SECONDS = NOW / 1000;

const hookOf = (verification: unknown, ...secrets: string[]): HookWithSecrets => ({
  ...{ projectId: 'p', name: 'h', hookId: 'hook_1', secrets },
  verification: hookVerificationSchema.parse(verification),
  ...{ deliveryIdTemplate: null, condition: null, createdAt: '', updatedAt: '' },
  action: { signal: { name: 's', key: 'k', payload: null } },
});

const delivery = (headers: HookDelivery['headers'], body = '{"a":1}'): HookDelivery => ({
  ...{ headers, body, contentType: 'application/json' },
});

describe('what a delivery has to show', () => {
  it('of Standard Webhooks: a signature of now by a secret in force', () => {
    const secret = mintWebhookSecret();
    const hook = hookOf({ kind: 'standard_webhooks' }, mintWebhookSecret(), secret);
    const signed = (id: string, seconds: number) => ({
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signWebhook(id, seconds, '{"a":1}', [secret]),
    });
    expect(verifyDelivery(hook, delivery(signed('m1', SECONDS)), NOW)).toEqual({ ok: true, standardId: 'm1' });
    expect(verifyDelivery(hook, delivery(signed('m1', SECONDS - 301)), NOW)).toMatchObject({ ok: false });
    expect(verifyDelivery(hook, delivery({ ...signed('m1', SECONDS), 'webhook-id': 'm2' }), NOW).ok).toBe(false);
    expect(verifyDelivery(hook, delivery(signed('m1', SECONDS), '{}'), NOW).ok).toBe(false);
    expect(verifyDelivery(hook, delivery({}), NOW).ok).toBe(false);
  });

  it('of a token: Bearer, or the password of Basic, so that it can stand in an address', () => {
    const hook = hookOf({ kind: 'token' }, sha256('a-token-of-the-sender'));
    const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
    for (const authorization of ['Bearer a-token-of-the-sender', basic('hook:a-token-of-the-sender')])
      expect(verifyDelivery(hook, delivery({ authorization, 'idempotency-key': 'i' }), NOW)).toEqual({
        ok: true,
        standardId: 'i',
      });
    for (const authorization of ['', 'Bearer', 'Bearer other', basic('a-token-of-the-sender'), basic('x:'), 'Token x'])
      expect(verifyDelivery(hook, delivery({ authorization }), NOW).ok).toBe(false);
  });

  it('of an HMAC as GitHub sends it: over the body, in a header with a prefix', () => {
    const hook = hookOf({ kind: 'hmac_sha256', header: 'X-Hub-Signature-256', prefix: 'sha256=' }, 'the shared secret');
    const hex = createHmac('sha256', 'the shared secret').update('{"a":1}').digest('hex');
    const first = verifyDelivery(hook, delivery({ 'x-hub-signature-256': `sha256=${hex}` }), NOW);
    expect(first).toMatchObject({ ok: true });
    // The same content is the same delivery: what was captured cannot be played again.
    expect(verifyDelivery(hook, delivery({ 'x-hub-signature-256': `sha256=${hex}` }), NOW)).toEqual(first);
    for (const value of [hex, `sha256=${hex.slice(1)}`, 'sha256=', `sha1=${hex}`])
      expect(verifyDelivery(hook, delivery({ 'x-hub-signature-256': value }), NOW).ok).toBe(false);
  });

  it('of an HMAC as Slack sends it: with a timestamp in what is signed, and a body that looks like a place', () => {
    const verification = {
      ...{
        kind: 'hmac_sha256',
        header: 'x-slack-signature',
        prefix: 'v0=',
        timestamp_header: 'x-slack-request-timestamp',
      },
      signed: 'v0:{timestamp}:{body}',
    };
    const hook = hookOf(verification, 'the shared secret');
    const body = '{timestamp}$&{body}';
    const sign = (seconds: number) =>
      `v0=${createHmac('sha256', 'the shared secret').update(`v0:${seconds}:${body}`).digest('hex')}`;
    const at = (seconds: number, signature: string) => ({
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': signature,
    });
    expect(verifyDelivery(hook, delivery(at(SECONDS, sign(SECONDS)), body), NOW).ok).toBe(true);
    expect(verifyDelivery(hook, delivery(at(SECONDS + 1, sign(SECONDS)), body), NOW).ok).toBe(false);
    expect(verifyDelivery(hook, delivery(at(SECONDS - 400, sign(SECONDS - 400)), body), NOW).ok).toBe(false);
  });
});
