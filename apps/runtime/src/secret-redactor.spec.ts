import fc from 'fast-check';
import type { Json } from '#libs/domain';
import { parseEnvironment, parseOperatorFile, resolveSettings } from '#libs/platform';
import { logCleaner, secretRedactor } from './secret-redactor.js';

const redact = secretRedactor(
  new Map([
    ['hunter2hunter2', 'secrets.crm'],
    ['hunter2hunter2-admin', 'secrets.crm_admin'],
  ]),
);

describe('redaction', () => {
  it("replaces the operator's secrets by their names, the longest match first, wherever text stands", () => {
    expect(redact({ result: ['token=hunter2hunter2;', { 'hunter2hunter2-admin': 1 }], n: 3 })).toEqual({
      result: ['token=[redacted: secrets.crm];', { '[redacted: secrets.crm_admin]': 1 }],
      n: 3,
    });
  });

  it.each([
    'sk-abcdefghijklmnopqrstuvwx',
    `sk-ant-api03-${'a1B2'.repeat(6)}`,
    'weir_k1_abcdefghijklmnopqrstuvwxyz',
    `ghp_${'a1'.repeat(18)}`,
    `github_pat_${'a1'.repeat(11)}`,
    'xoxb-1234567890-abc',
    `AIza${'a1B2c'.repeat(7)}`,
    'AKIAABCDEFGHIJKLMNOP',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----',
  ])('replaces what looks like a secret: %s', (secret) => {
    expect(redact(`before ${secret} after`)).toBe('before [redacted] after');
  });

  it('keeps the word before a bearer token', () => {
    expect(redact('Authorization: Bearer abcdefghijklmnopqrstuvwxyz')).toBe('Authorization: Bearer [redacted]');
  });

  it.each([
    'the bearer of news',
    'ask-me-anything-you-would-like',
    'sk-short',
    'weir_k1',
    'a task-list of things to do',
  ])('leaves ordinary words alone: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('returns what holds no secret as the same object, and redacting twice changes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = redact(value as Json);
        expect(redact(once)).toBe(once);
      }),
    );
    const value: Json = { a: [1, { b: 'text' }] };
    expect(redact(value)).toBe(value);
  });

  // Quadratic time would not end before the test's own limit.
  it('takes linear time on hostile text', () => {
    const text = `${'-----BEGIN PRIVATE KEY-----'.repeat(40_000)}${'sk-'.repeat(400_000)}`;
    expect(redact(text)).not.toBe('');
  });
});

describe('lines of the log', () => {
  it('hold neither secrets, also escaped as JSON, nor passwords of servers', () => {
    const variables = { DATABASE_URL: 'postgres://weir:s3cret%2Fpass@db/weir', REDIS_URL: 'redis://:other-pass@redis' };
    const file = parseOperatorFile('secrets: { crm: { value: "quo\\"ted-token", hosts: [crm.test] } }', 'test');
    const clean = logCleaner(resolveSettings(parseEnvironment(variables), file, variables));
    const line = JSON.stringify({
      err: 'bad quo"ted-token at postgres://weir:s3cret/pass@db',
      url: variables.REDIS_URL,
    });
    expect(JSON.parse(clean(line))).toEqual({
      err: 'bad [redacted: secrets.crm] at postgres://weir:[redacted: DATABASE_URL]@db',
      url: 'redis://:[redacted: REDIS_URL]@redis',
    });
  });

  it('keep words that are the name and the password of a server alike', () => {
    const variables = { DATABASE_URL: 'postgres://postgres:postgres@db/weir' };
    const settings = resolveSettings(parseEnvironment(variables), parseOperatorFile('', 'test'), variables);
    expect(logCleaner(settings)('{"msg":"postgres is away"}')).toBe('{"msg":"postgres is away"}');
  });
});
