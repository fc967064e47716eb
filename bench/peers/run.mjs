// `npm run bench`: Weir and its peers one after the other on servers of their own (up.sh), then tables.
//   -- PART …           some of: peers history context http micro processes idle; without any: all of them
//   -- --json           only a line per measure that has a limit: {"measure","value","limit","must","aim","runs"}
//   -- --from FILE      shows measurements that were taken before
// Environment: REPEAT (3), SCALE, QUIET_S, SPARE, OLD_RUNS; PEERS chooses some, e.g. PEERS="weir bullmq".
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MEASURES, judged } from './measures.mjs';
import { measureTable, otherTables } from './tables.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const results = `${folder}results/results.jsonl`;
const W1_TO_W3 = ['W1', 'W2', 'W3'];

/** Script, its arguments, and what of the environment is not the whole run's. `peer`: what PEERS chooses by. */
const script = (file, args = [], env = {}, peer = null) => ({ file, args, env, peer });
const PARTS = {
  peers: [
    script('bullmq.mjs', ['raw', ...W1_TO_W3], {}, 'bullmq'),
    script('dbos.mjs', ['direct', ...W1_TO_W3, 'W4'], {}, 'dbos'),
    script('langgraph.mjs', ['sync', ...W1_TO_W3], {}, 'langgraph'),
    // A minute or two a run, so one is enough.
    script('langgraph-agent.mjs', ['agent-edit', 'W4'], { REPEAT: '1', SPARE: '0' }, 'langgraph'),
    script('graphile.mjs', ['batched', ...W1_TO_W3], {}, 'graphile'),
    script('weir.mjs', ['tool', ...W1_TO_W3, 'W3d'], {}, 'weir'),
    script('weir.mjs', ['agent', 'W4'], {}, 'weir'),
  ],
  history: [script('weir.mjs', ['history', 'W1'])],
  context: [script('../context/rebuild.mjs')],
  http: [script('../http/run.mjs')],
  micro: [script('../micro/run.mjs', [], { REPEAT: '1' })],
  processes: [script('../scaling/processes.mjs', [], { REPEAT: '1' })],
  idle: [script('../scaling/idle.mjs')],
};
/** These start processes of the build. */
const BUILT = ['history', 'http', 'processes', 'idle'];

/** Passed on to what runs. */
const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const { argv, env } = process;
const from = argv.includes('--from') ? argv[argv.indexOf('--from') + 1] : null;
const chosen = argv.slice(2).filter((arg) => arg in PARTS);
const parts = chosen.length > 0 ? chosen : Object.keys(PARTS);

async function measure() {
  const before = existsSync(results) ? lines(results).length : 0;
  if (parts.some((part) => BUILT.includes(part))) await run('npm', ['run', '--silent', 'build'], `${folder}../..`, env);
  for (const part of parts) for (const one of PARTS[part]) await measureOne(part, one);
  return lines(results).slice(before);
}

async function measureOne(part, { file, args, env: own, peer }) {
  if (peer !== null && env.PEERS !== undefined && !env.PEERS.split(' ').includes(peer)) return;
  process.stderr.write(`measuring ${[part, file, ...args].join(' ')}\n`);
  const settings = { ...env, REPEAT: env.REPEAT ?? '3', QUIET_S: env.QUIET_S ?? '5', SPARE: env.SPARE ?? '1', ...own };
  const loader = fileURLToPath(new URL('../../test/support/typescript-loader.mjs', import.meta.url));
  await run(process.execPath, ['--import', loader, `${folder}${file}`, ...args], folder, settings);
}

async function run(command, args, cwd, settings) {
  const child = spawn(command, args, { cwd, env: settings, stdio: ['ignore', 'ignore', 'inherit'] });
  const end = () => child.kill('SIGTERM');
  for (const signal of ENDS) process.once(signal, end);
  const [status, endedBy] = await once(child, 'exit');
  for (const signal of ENDS) process.removeListener(signal, end);
  if (status !== 0)
    throw new Error(`${args.join(' ')} ended with ${status ?? endedBy}; are the servers up (bench/peers/up.sh)?`);
}

const lines = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const measured = from === null ? await measure() : lines(from);
const verdicts = MEASURES.flatMap((one) => judged(one, measured) ?? []);
if (argv.includes('--json')) for (const verdict of verdicts) console.log(JSON.stringify(verdict));
else console.log([measureTable(verdicts), ...otherTables(measured)].join('\n\n'));
