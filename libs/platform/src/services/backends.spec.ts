import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseBackends, findRedisServer } from './backends.js';

const machine = { databaseUrl: null, redisUrl: null, redisServer: null, embedded: false };

describe('choice of backends', () => {
  it('takes addresses that are given', () => {
    expect(
      chooseBackends({ ...machine, databaseUrl: 'postgres://a/b', redisUrl: 'redis://c', redisServer: '/bin/r' }),
    ).toEqual({
      postgres: { kind: 'given', url: 'postgres://a/b' },
      queue: { kind: 'given', url: 'redis://c' },
    });
  });

  it('starts a server that the machine has', () => {
    expect(chooseBackends({ ...machine, redisServer: '/bin/redis-server' })).toEqual({
      postgres: { kind: 'embedded' },
      queue: { kind: 'private', binary: '/bin/redis-server' },
    });
  });

  it('needs nothing but itself', () => {
    expect(chooseBackends(machine)).toMatchObject({ postgres: { kind: 'embedded' }, queue: { kind: 'postgres' } });
  });

  it('ignores all that is offered when asked to', () => {
    const offered = { databaseUrl: 'postgres://a/b', redisUrl: 'redis://c', redisServer: '/bin/r', embedded: true };
    expect(chooseBackends(offered)).toMatchObject({ postgres: { kind: 'embedded' }, queue: { kind: 'postgres' } });
  });

  it('prefers valkey wherever it stands on PATH, and takes only what can be run', () => {
    const [early, late] = [mkdtempSync(join(tmpdir(), 'weir-path-')), mkdtempSync(join(tmpdir(), 'weir-path-'))];
    writeFileSync(join(early, 'redis-server'), '', { mode: 0o755 });
    writeFileSync(join(late, 'valkey-server'), '', { mode: 0o755 });
    expect(findRedisServer(`${early}:${late}`)).toBe(join(late, 'valkey-server'));
    chmodSync(join(late, 'valkey-server'), 0o644);
    expect(findRedisServer(`${early}:${late}`)).toBe(join(early, 'redis-server'));
    expect(findRedisServer('')).toBeNull();
    for (const folder of [early, late]) rmSync(folder, { recursive: true });
  });
});
