// PROFILE=<folder>: what a process computes during a measurement, as a .cpuprofile there (Chrome's DevTools open it; `profile.mjs
// <file>` lists self times by function and by package).
import { Session } from 'node:inspector/promises';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = process.env.PROFILE;
const SAMPLE_US = 200;
let session = null;

/** Begins this process' profile, or ends it and writes it. */
export async function profile(what, name) {
  if (what === 'begin') {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
    await session.post('Profiler.start');
    return;
  }
  const ended = await session.post('Profiler.stop');
  session.disconnect();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/${name}.cpuprofile`, JSON.stringify(ended.profile));
}

/** In the driver: `work` under profiles of itself and of the worker. Profiling costs CPU, so do not compare what is measured then. */
export async function profiled(name, ofWorker, work) {
  if (FOLDER === undefined) return work();
  await Promise.all([profile('begin'), ofWorker('begin')]);
  const result = await work();
  await Promise.all([profile('end', `${name}-client`), ofWorker('end', `${name}-worker`)]);
  return result;
}

/** Milliseconds by key, the largest first. */
function selfTimes({ nodes, samples, timeDeltas }, keyOf) {
  const keys = new Map(nodes.map((node) => [node.id, keyOf(node.callFrame)]));
  const times = new Map();
  samples.forEach((id, n) => times.set(keys.get(id), (times.get(keys.get(id)) ?? 0) + timeDeltas[n] / 1000));
  return [...times].sort((a, b) => b[1] - a[1]);
}

const placeOf = (url) =>
  url
    .replace(/^file:\/\//, '')
    .replace(/^.*\/node_modules\//, '')
    .replace(/^.*?\/(apps|libs)\//, '$1/');
function packageOf({ url, functionName }) {
  const place = placeOf(url);
  if (url === '') return functionName;
  if (url.startsWith('node:')) return 'node';
  const parts = place.split('/');
  return parts.slice(0, parts[0].startsWith('@') || /^(apps|libs)$/.test(parts[0]) ? 2 : 1).join('/');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const profile = JSON.parse(readFileSync(process.argv[2], 'utf8'));
  const most = Number(process.argv[3] ?? 40);
  const functionOf = (frame) => `${frame.functionName || '(anonymous)'} ${placeOf(frame.url)}:${frame.lineNumber + 1}`;
  for (const keyOf of [packageOf, functionOf]) {
    for (const [key, ms] of selfTimes(profile, keyOf).slice(0, most)) console.log(ms.toFixed(1).padStart(9), key);
    console.log();
  }
}
