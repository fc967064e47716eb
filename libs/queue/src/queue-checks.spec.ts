import { setImmediate } from 'node:timers/promises';
import { Answers } from './answers.js';
import { decodeStepJob } from './jobs.js';
import { Listeners } from './listeners.js';
import { assertTakesSignal } from './processor-arity.js';
import { checkRedisSettings } from './queue-settings.js';
import { hashTagged } from './queue-names.js';
import { judgeRedis } from './redis/redis-health.js';

describe('what is refused at boot', () => {
  const redis =
    (url: string, prefix = 'weir') =>
    () =>
      checkRedisSettings({ kind: 'redis', url, prefix });

  it('takes the usual addresses', () => {
    expect(redis('redis://:secret@localhost:6379/2')).not.toThrow();
    expect(redis('unix:///run/redis.sock')).not.toThrow();
  });

  it('refuses a keyPrefix in the address of Redis, in any case (C7)', () => {
    expect(redis('redis://localhost:6379/0?keyPrefix=x')).toThrow('keyPrefix');
    expect(redis('redis://localhost:6379?keyprefix=x')).toThrow('keyPrefix');
  });

  it('refuses a prefix that would break the hash tag (C6)', () => {
    expect(redis('redis://localhost', 'a}b')).toThrow('prefix');
    expect(hashTagged('weir')).toBe('{weir}');
  });

  it('never shows the address, which may hold a password', () => {
    expect(redis('redis://:hunter2@:x')).toThrow(/^(?!.*hunter2)/);
  });

  it('refuses a Redis that evicts keys and says what to set, unless told to take the risk (C1)', () => {
    const info = 'redis_version:7.2.4\r\nmaxmemory_policy:allkeys-lru\r\n';
    expect(judgeRedis(info, false)).toEqual({
      ok: false,
      code: 'redis_evicts_keys',
      detail: expect.stringContaining('maxmemory-policy noeviction'),
    });
    expect(judgeRedis(info, true)).toEqual({ ok: true, detail: 'Redis 7.2.4' });
    expect(judgeRedis('redis_version:7.2.4\r\nmaxmemory_policy:noeviction\r\n', false).ok).toBe(true);
  });

  it('refuses a Redis older than 6.2', () => {
    expect(judgeRedis('redis_version:6.0.16\r\n', false)).toMatchObject({ ok: false, code: 'redis_too_old' });
    expect(judgeRedis('redis_version:6.2.0\r\n', false).ok).toBe(true);
    expect(judgeRedis('redis_version:10.0.1\r\n', false).ok).toBe(true);
  });

  it('refuses a processor that would not get the abort signal (H1)', () => {
    class Takes {
      process(_job: unknown, _token: unknown, _signal: unknown): void {}
    }
    class Defaults {
      process(_job: unknown, _token: unknown, _signal: unknown = null): void {}
    }
    class Rest {
      process(..._all: unknown[]): void {}
    }
    expect(() => assertTakesSignal(new Takes())).not.toThrow();
    expect(() => assertTakesSignal(new Defaults())).toThrow('Defaults.process declares 2 parameters');
    expect(() => assertTakesSignal(new Rest())).toThrow('Rest.process declares 0 parameters');
  });

  it('refuses job data that holds more than ids (C10)', () => {
    expect(() => decodeStepJob({ step_run_id: 'stp_1', dispatch_no: 1, inputs: {} })).toThrow('inputs');
  });
});

describe('listeners', () => {
  it('go on after one of them threw, which is reported (C12)', () => {
    const faults: unknown[] = [];
    const heard: string[] = [];
    const listeners = new Listeners<string>('cancel', (what, error) => faults.push([what, String(error)]));
    listeners.add(() => {
      throw new Error('a bug');
    });
    listeners.add((runId) => heard.push(runId));
    listeners.emit('run_1');
    expect(heard).toEqual(['run_1']);
    expect(faults).toEqual([['a listener for cancel threw', 'Error: a bug']]);
  });
});

describe('answers', () => {
  it('pass through', async () => {
    await expect(new Answers(1000).within('answer', () => Promise.resolve(7))).resolves.toBe(7);
  });

  it('that do not come are an error in time, and reported as silence', async () => {
    let silences = 0;
    const answers = new Answers(20, () => (silences += 1));
    await expect(answers.within('answer', () => new Promise(() => undefined))).rejects.toMatchObject({
      code: 'queue_unavailable',
    });
    expect(silences).toBe(1);
  });

  it('that are there already when a blocked loop reads its timers still count', async () => {
    const answer = new Answers(20).within('answer', () => {
      const received = setImmediate('answer');
      const until = performance.now() + 60;
      while (performance.now() < until);
      return received;
    });
    await expect(answer).resolves.toBe('answer');
  });
});
