import { failing, fine, warning, type Finding } from '#libs/domain';
import type { RedisFacts } from './redis-facts.js';

/** BullMQ's recommended minimum; below it commands that it uses are missing. */
const MINIMUM_VERSION: readonly [number, number] = [6, 2];
const FULL_SHARE = 0.95;
const FILLING_SHARE = 0.8;

/** What Redis must be like, and what operators should know. Those that keep processes from working stand first. */
export function judgeRedis(facts: RedisFacts, allowEviction: boolean): Finding[] {
  return [version(facts), eviction(facts, allowEviction), role(facts), saves(facts), memory(facts)];
}

function version({ version }: RedisFacts): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isTooOld = major < MINIMUM_VERSION[0] || (major === MINIMUM_VERSION[0] && minor < MINIMUM_VERSION[1]);
  const judgement = {
    id: 'redis_version',
    found: `Redis ${version}`,
    expected: `${MINIMUM_VERSION.join('.')} or newer (or Valkey)`,
    isNeeded: true,
  };
  return isTooOld ? failing(judgement, 'replace the server; it holds nothing that lasts') : fine(judgement);
}

function eviction({ evictionPolicy }: RedisFacts, allowEviction: boolean): Finding {
  const expected = 'maxmemory-policy noeviction';
  const what = { id: 'redis_eviction', expected, isNeeded: true };
  if (evictionPolicy === 'noeviction') return fine({ ...what, found: 'maxmemory-policy noeviction' });
  const found = `Redis may evict keys (maxmemory-policy ${evictionPolicy}), so jobs and their locks can vanish`;
  return allowEviction
    ? warning({ ...what, found }, 'set it; WEIR_ALLOW_EVICTION takes the risk, and lost jobs come back after seconds')
    : failing({ ...what, found }, 'set it, or WEIR_ALLOW_EVICTION=true to take the risk');
}

function role({ role }: RedisFacts): Finding {
  const what = { id: 'redis_role', found: `Redis is a ${role}`, expected: 'a master', isNeeded: true };
  return role === 'master' ? fine(what) : failing(what, 'a replica takes no writes: give the address of its master');
}

/** With `stop-writes-on-bgsave-error`, its default, Redis refuses writes after a save that failed. */
function saves({ failedSave, persistence }: RedisFacts): Finding {
  const what = {
    id: 'redis_persistence',
    expected: 'no failed save; none at all is fine, because Redis holds nothing that lasts',
    isNeeded: false,
  };
  if (failedSave === null) return fine({ ...what, found: `persistence: ${persistence}` });
  const found = `the last save of Redis failed (${failedSave}), and it may refuse writes until one succeeds`;
  return failing({ ...what, found }, "look at the server's log and disk, or switch its saving off");
}

function memory({ maxMemory, usedMemory }: RedisFacts): Finding {
  const what = {
    id: 'redis_memory',
    expected: `maxmemory set, and less than ${percent(FILLING_SHARE)} used`,
    isNeeded: false,
  };
  const used = megabytes(usedMemory);
  if (maxMemory === 0)
    return warning(
      { ...what, found: `${used} used, no maxmemory` },
      'set maxmemory below what the machine has, so that Redis refuses writes instead of being killed',
    );
  const share = usedMemory / maxMemory;
  const found = `${used} of ${megabytes(maxMemory)} used (${percent(share)})`;
  if (share < FILLING_SHARE) return fine({ ...what, found });
  const advice =
    'raise maxmemory, or find out who else fills this Redis: Weir keeps some kilobytes for each waiting job';
  return share < FULL_SHARE ? warning({ ...what, found }, advice) : failing({ ...what, found }, advice);
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
const percent = (share: number): string => `${Math.round(share * 100)} %`;
