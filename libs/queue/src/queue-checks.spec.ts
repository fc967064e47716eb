import { setImmediate } from 'node:timers/promises';
import { Answers } from './answers.js';
import { workerOptions } from './job-intake.js';
import { decodeStepJob } from './jobs.js';
import { Listeners } from './listeners.js';
import { assertTakesSignal } from './processor-arity.js';
import { checkRedisSettings } from './queue-settings.js';
import { hashTagged } from './queue-names.js';
import { judgeRedis } from './redis/judge-redis.js';
import { parseInfo } from './redis/redis-facts.js';

/** What the check `id` says of a Redis 7 whose INFO has these lines. */
function judged(lines: string, id: string, allowEviction = false) {
  const info = lines.startsWith('redis_version') ? lines : `redis_version:7.2.4\r\n${lines}`;
  const facts = { ...parseInfo(`${info}\r\n`), clock: { skewMs: 0, uncertaintyMs: 0 } };
  return judgeRedis(facts, allowEviction).find((finding) => finding.id === id);
}

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
    expect(judged('maxmemory_policy:allkeys-lru', 'redis_eviction')).toMatchObject({
      status: 'fail',
      isNeeded: true,
      expected: 'maxmemory-policy noeviction',
      advice: expect.stringContaining('WEIR_ALLOW_EVICTION=true'),
    });
    expect(judged('maxmemory_policy:allkeys-lru', 'redis_eviction', true)).toMatchObject({ status: 'warn' });
    expect(judged('maxmemory_policy:noeviction', 'redis_eviction')).toMatchObject({ status: 'ok', advice: null });
  });

  it.each([
    ['redis_version', 'redis_version:6.0.16', 'redis_version:10.0.1'],
    ['redis_role', 'role:slave', 'role:master'],
    ['redis_persistence', 'rdb_last_bgsave_status:err', 'rdb_last_bgsave_status:ok'],
    ['redis_persistence', 'aof_enabled:1\r\naof_last_write_status:err', 'aof_enabled:1\r\naof_last_write_status:ok'],
    ['redis_memory', 'used_memory:99\r\nmaxmemory:100', 'used_memory:50\r\nmaxmemory:100'],
  ])('%s: fails with %j, not with %j', (id, bad, good) => {
    expect(judged(bad, id)).toMatchObject({ status: 'fail', advice: expect.any(String) });
    expect(judged(good, id)).toMatchObject({ status: 'ok', advice: null });
  });

  it('warns of a Redis without a limit, or close to it', () => {
    expect(judged('maxmemory:0', 'redis_memory')).toMatchObject({ status: 'warn' });
    expect(judged('used_memory:85\r\nmaxmemory:100', 'redis_memory')).toMatchObject({ status: 'warn' });
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

describe('workers', () => {
  it('have no limiter: what is limited waits in Postgres (F2)', () => {
    expect(workerOptions({ jobs: 3, leaseMs: 45_000, sweepMs: 5000, workerName: 'w' })).not.toHaveProperty('limiter');
  });
});
