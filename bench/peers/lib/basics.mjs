// Where the servers are, and small things that all of the harness uses.
import pgpkg from 'pg';
import Redis from 'ioredis';

export const PG_PORT = Number(process.env.PGPORT ?? 55432);
export const REDIS_PORT = Number(process.env.REDISPORT ?? 56379);
export const pgUrl = (db = 'postgres') => `postgresql://postgres@127.0.0.1:${PG_PORT}/${db}`;
export const redisOpts = { host: '127.0.0.1', port: REDIS_PORT, maxRetriesPerRequest: null };
export const CONCURRENCY = 20; // worker
export const CLIENTS = 50;
export const STEPS = 5;
export const STATE = process.env.BENCH_STATE ?? '/var/tmp/peer-bench';

// A benchmark that is told to end takes along what it started: those who start something listen to `exit`.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

export const now = () => Number(process.hrtime.bigint()) / 1e6; // ms, monotonic, shared by processes
export const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
export const q = (a, p) => {
  if (!a.length) return null;
  const s = [...a].sort((x, y) => x - y);
  return s[Math.min(s.length - 1, Math.ceil(p * s.length) - 1)];
};
export const r2 = (x) => (x === null || x === undefined ? null : Math.round(x * 100) / 100);

export async function freshDb(db) {
  const c = new pgpkg.Client(pgUrl());
  await c.connect();
  await c.query(`drop database if exists ${db} with (force)`);
  await c.query(`create database ${db}`);
  await c.end();
  return pgUrl(db);
}
export async function flushRedis() {
  const r = new Redis(redisOpts);
  await r.flushall();
  r.disconnect();
}
