import { FIRST_CALL_MS, GRACE_MS, MEAN_SHARE, PERIOD_CELLS, SHORTEST_WAIT_MS, SPREAD_MS } from './limit-bucket.js';

/** Keys of one bucket, in the scripts' order. */
export const bucketKeys = (prefix: string, key: string): [string, string, string, string] => {
  const base = `${prefix}:limit:${key}`;
  return [`${base}:cells`, `${base}:waiting`, `${base}:running`, `${base}:facts`];
};

/** Longer than anything in a bucket matters. */
const KEEP_MS = 3_600_000;

const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/**
 * `limit-bucket.ts` in Lua: the rules are told there, one contract suite holds both to them. Per bucket a hash of cells
 * (`r<cell>` requests, `t<cell>` tokens), sorted sets of who waits and what runs, a hash of facts. One script: a
 * request is taken out of all buckets or out of none.
 * ARGV: ticket, reservation, tokens, hold in ms, width of a cell in ms, then requests, tokens, concurrency per bucket
 * (-1: no bound).
 * Answers {1, now} when granted, else {0, ms to wait}.
 */
export const RESERVE = `${CLOCK}
local ticket, id, tokens, hold, cellMs = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local current = math.floor(now / cellMs)

local function cellsOf(key)
  local flat = redis.call('HGETALL', key)
  local cells, order = { r = {}, t = {} }, {}
  for n = 1, #flat, 2 do
    local kind, at = string.sub(flat[n], 1, 1), tonumber(string.sub(flat[n], 2))
    if at <= current - ${PERIOD_CELLS} then redis.call('HDEL', key, flat[n])
    else
      cells[kind][at] = tonumber(flat[n + 1])
      if kind == 'r' then order[#order + 1] = at end
    end
  end
  table.sort(order)
  return cells, order
end

local function windowWait(cells, order, allowed, cost, due, ahead)
  if allowed < 0 then return 0 end
  if cost > allowed then cost = allowed end
  local used = 0
  for _, at in ipairs(order) do used = used + (cells[at] or 0) end
  if used + (due + 1) * cost <= allowed then return 0 end
  local needed = math.max(1, used + (ahead + 1) * cost - allowed)
  local rounds = math.floor((needed - 1) / allowed)
  local rest = needed - rounds * allowed
  local freed = 0
  for _, at in ipairs(order) do
    freed = freed + (cells[at] or 0)
    local free = (at + ${PERIOD_CELLS} + rounds * ${PERIOD_CELLS}) * cellMs
    if freed >= rest then return math.max(${SHORTEST_WAIT_MS}, math.ceil(free - now)) end
  end
  return math.ceil((1 + rounds * ${PERIOD_CELLS}) * cellMs)
end

local function bucketWait(n)
  local key = 4 * n - 3
  local waiting, running, facts = KEYS[key + 1], KEYS[key + 2], KEYS[key + 3]
  redis.call('ZREMRANGEBYSCORE', waiting, '-inf', '(' .. (now - ${GRACE_MS}))
  redis.call('ZREMRANGEBYSCORE', running, '-inf', now)
  local mine = redis.call('ZSCORE', waiting, ticket)
  local before = mine and '(' .. mine or '+inf'
  local ahead = redis.call('ZCOUNT', waiting, '-inf', before)
  local closed = tonumber(redis.call('HGET', facts, 'closed') or '0')
  if closed > now then return closed - now + ahead * ${SPREAD_MS} end
  local due = redis.call('ZCOUNT', waiting, '-inf', (mine and tonumber(mine) <= now) and before or now)
  local cells, order = cellsOf(KEYS[key])
  local wait = math.max(
    windowWait(cells.r, order, tonumber(ARGV[3 * n + 3]), 1, due, ahead),
    windowWait(cells.t, order, tonumber(ARGV[3 * n + 4]), tokens, due, ahead))
  local places = tonumber(ARGV[3 * n + 5])
  if places >= 0 and redis.call('ZCARD', running) + due + 1 > places then
    local mean = tonumber(redis.call('HGET', facts, 'call') or '${FIRST_CALL_MS}')
    wait = math.max(wait, ${SHORTEST_WAIT_MS}, math.ceil(mean * (ahead + 1) / places))
  end
  return wait
end

local buckets, longest = #KEYS / 4, 0
local waits = {}
for n = 1, buckets do
  waits[n] = bucketWait(n)
  longest = math.max(longest, waits[n])
end
for n = 1, buckets do
  local key = 4 * n - 3
  if longest == 0 then
    redis.call('HINCRBY', KEYS[key], 'r' .. current, 1)
    redis.call('HINCRBY', KEYS[key], 't' .. current, tokens)
    redis.call('ZREM', KEYS[key + 1], ticket)
    redis.call('ZADD', KEYS[key + 2], now + hold, id)
  elseif waits[n] > 0 then redis.call('ZADD', KEYS[key + 1], now + longest, ticket)
  else redis.call('ZREM', KEYS[key + 1], ticket) end
  for k = key, key + 3 do redis.call('PEXPIRE', KEYS[k], ${KEEP_MS}) end
end
if longest == 0 then return { 1, now } end
return { 0, longest }`;

/** ARGV: reservation, its cell, tokens to add (may be negative), when it was granted. */
export const SETTLE = `${CLOCK}
for key = 1, #KEYS, 4 do
  local cell = 't' .. ARGV[2]
  if redis.call('HEXISTS', KEYS[key], cell) == 1 then redis.call('HINCRBY', KEYS[key], cell, ARGV[3]) end
  if redis.call('ZREM', KEYS[key + 2], ARGV[1]) == 1 then
    local mean = tonumber(redis.call('HGET', KEYS[key + 3], 'call') or '${FIRST_CALL_MS}')
    redis.call('HSET', KEYS[key + 3], 'call', mean + (now - ARGV[4] - mean) * ${MEAN_SHARE})
    redis.call('PEXPIRE', KEYS[key + 3], ${KEEP_MS})
  end
end
return 1`;

/** ARGV: for how many ms. A shorter time never opens what a longer one closed. */
export const CLOSE = `${CLOCK}
for key = 4, #KEYS, 4 do
  local closed = tonumber(redis.call('HGET', KEYS[key], 'closed') or '0')
  if now + ARGV[1] > closed then redis.call('HSET', KEYS[key], 'closed', now + ARGV[1]) end
  redis.call('PEXPIRE', KEYS[key], math.max(${KEEP_MS}, tonumber(ARGV[1])))
end
return 1`;
