import { Webhook } from 'standardwebhooks';
import { isSignedWebhook, isWebhookSecret, mintWebhookSecret, signWebhook, timestampInTime } from './signature.js';

describe('signatures of webhooks', () => {
  const body = '{"type":"RunSucceeded","data":{"text":"ünï"}}';
  const now = Math.floor(Date.now() / 1000);

  it('are what the package of the standard verifies, during a rotation by either secret', () => {
    const [old, fresh] = [mintWebhookSecret(), mintWebhookSecret()];
    const headers = {
      'webhook-id': 'whd_1',
      'webhook-timestamp': String(now),
      'webhook-signature': signWebhook('whd_1', now, body, [fresh, old]),
    };
    for (const secret of [old, fresh]) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(mintWebhookSecret()).verify(body, headers)).toThrow();
    expect(() => new Webhook(old).verify(`${body} `, headers)).toThrow();
  });

  it('of the package are taken here, and nothing else', () => {
    const secret = mintWebhookSecret();
    const signature = new Webhook(secret).sign('msg_1', new Date(now * 1000), body);
    const given = { id: 'msg_1', timestamp: now, body, signature };
    expect(isSignedWebhook(given, [mintWebhookSecret(), secret])).toBe(true);
    expect(isSignedWebhook({ ...given, signature: `v1a,xx v1,zz ${signature}` }, [secret])).toBe(true);
    for (const other of [
      { id: 'msg_2' },
      { timestamp: now + 1 },
      { body: '{}' },
      { signature: '' },
      { signature: 'v1,' },
    ])
      expect(isSignedWebhook({ ...given, ...other }, [secret])).toBe(false);
    expect(isSignedWebhook(given, [])).toBe(false);
  });

  it('have times within five minutes, and secrets of the standard’s form', () => {
    expect(timestampInTime(String(now), now * 1000 + 299_000)).toBe(now);
    for (const text of [String(now - 301), String(now + 301), '', 'x', '1e9', '-1'])
      expect(timestampInTime(text, now * 1000)).toBeNull();
    expect(isWebhookSecret(mintWebhookSecret())).toBe(true);
    for (const secret of ['whsec_', 'whsec_c2hvcnQ=', 'a secret that is no base64 at all'])
      expect(isWebhookSecret(secret)).toBe(false);
  });
});
