// `npm run bench`: Weir and its peers one after the other on servers of their own (up.sh), then one table with the ratios.
//   -- --json           a line per measure: {"measure","value","limit","must","aim","runs"}
//   -- --from FILE      judges measurements that were taken before
// Environment: REPEAT (3), SCALE, QUIET_S, SPARE; PEERS chooses some, e.g. PEERS="weir bullmq".
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MEASURES, judged } from './measures.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const results = `${folder}results/results.jsonl`;
const PEERS = {
  bullmq: ['raw'],
  dbos: ['direct'],
  langgraph: ['sync'],
  graphile: ['batched'],
  weir: ['tool'],
};

const { argv, env } = process;
const from = argv.includes('--from') ? argv[argv.indexOf('--from') + 1] : null;

function measure() {
  const before = existsSync(results) ? lines(results).length : 0;
  const settings = { ...env, REPEAT: env.REPEAT ?? '3', QUIET_S: env.QUIET_S ?? '5', SPARE: env.SPARE ?? '1' };
  for (const peer of env.PEERS?.split(' ') ?? Object.keys(PEERS)) {
    process.stderr.write(`measuring ${peer}\n`);
    const loader = peer === 'weir' ? ['--import', '../../test/support/typescript-loader.mjs'] : [];
    const { status } = spawnSync(process.execPath, [...loader, `${peer}.mjs`, ...PEERS[peer], 'W1', 'W2', 'W3'], {
      cwd: folder,
      env: settings,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0)
      throw new Error(`${peer} could not be measured (exit ${status}); are the servers up (bench/peers/up.sh)?`);
  }
  return lines(results).slice(before);
}

const lines = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const measured = from === null ? measure() : lines(from);
const verdicts = MEASURES.flatMap((one) => judged(one, measured) ?? []);
if (argv.includes('--json')) for (const verdict of verdicts) console.log(JSON.stringify(verdict));
else {
  console.log('| measure | value | limit | must | aim | runs |\n|---|---|---|---|---|---|');
  for (const { measure: name, value, limit, must, aim, runs } of verdicts)
    console.log(
      `| ${name} | ${value} | ${limit} | ${must ? 'yes' : 'NO'} | ${aim ? 'yes' : 'no'} | ${runs.join(', ')} |`,
    );
}
