// `npm test`: set-up and all tests except chaos, benchmarks, and those that take minutes. Plain JavaScript, because it
// also runs in a fresh clone. Options of its own: --suite=chaos|soak|matrix|long|laws, --runs N (streams that the laws
// draw), and with chaos the words of a scenario's name; everything else goes to jest.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, root } from '../../apps/cli/bin/prepare.mjs';

const suites = {
  all: { ignore: ['/test/chaos/', '/test/soak/', '/test/matrix/', '/test/long/', '/bench/'], env: {} },
  // One scenario after the other: each has processes and servers of its own.
  chaos: { only: ['test/chaos'], ignore: [], env: {}, options: ['--maxWorkers=1'], namesFiles: true },
  soak: { only: ['test/soak'], ignore: [], env: {}, options: ['--maxWorkers=1'] },
  matrix: { only: ['test/matrix'], ignore: [], env: {} },
  long: { only: ['test/long'], ignore: [], env: {} },
  laws: { only: ['\\.laws\\.spec\\.ts$'], ignore: [], env: { WEIR_LAWS: 'long' }, options: ['--maxWorkers=100%'] },
};

/** Marks every process of this run, so that what is left at the end can be told from others' processes. */
const runMark = `WEIR_TEST_RUN=${randomBytes(8).toString('hex')}`;

process.exitCode = await main(process.argv.slice(2));

async function main(given) {
  const name = given.find((argument) => argument.startsWith('--suite='))?.slice('--suite='.length) ?? 'all';
  const suite = suites[name];
  if (suite === undefined)
    return summary({ failures: [`unknown suite ${name}: expected ${Object.keys(suites).join(', ')}`] });
  try {
    prepare();
  } catch (error) {
    return summary({ failures: [error.message] });
  }
  const folder = mkdtempSync(join(tmpdir(), 'weir-jest-'));
  try {
    const resultFile = join(folder, 'result.json');
    const { rest: words, env } = takeRuns(given.filter((argument) => !argument.startsWith('--suite=')));
    const rest = suite.namesFiles ? words.map((word) => fileOf(word, suite.only)) : words;
    const secretsFile = join(folder, 'secrets.json');
    const withEnv = { ...suite, env: { ...suite.env, ...env, WEIR_TEST_SECRETS_FOUND: secretsFile } };
    const begun = performance.now();
    const status = await runJest(withEnv, rest, resultFile);
    if (name === 'laws') console.log(`laws took ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
    const counted = count(resultFile, status);
    const failures = [...counted.failures, ...foundSecrets(secretsFile)];
    if (rest.some((argument) => !argument.startsWith('-')) && counted.passed === 0 && counted.failed === 0)
      failures.push(`nothing was run: no test file is named like ${rest.join(' ')}`);
    return summary({ ...counted, failures });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Files have the names of their scenarios: `cancel reaches the socket` is found in one of them. */
function fileOf(word, [folder]) {
  if (word.startsWith('-') || word.includes('/')) return word;
  return `${folder}/.*${word.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}

/** `--runs N`: how many random streams the law tests draw. */
function takeRuns(given) {
  const at = given.findIndex((argument) => argument === '--runs' || argument.startsWith('--runs='));
  if (at === -1) return { rest: given, env: {} };
  const isPair = given[at] === '--runs';
  const runs = isPair ? given[at + 1] : given[at].slice('--runs='.length);
  if (!/^[1-9]\d*$/.test(runs ?? '')) throw new Error(`--runs takes a whole number, found ${runs}`);
  return { rest: given.toSpliced(at, isPair ? 2 : 1), env: { WEIR_LAW_RUNS: runs } };
}

/** Ends with jest's exit code, or 1 when a signal ended it. Signals go on to jest, which ends its own services. */
async function runJest(suite, given, resultFile) {
  const hasOwnPaths = given.some((argument) => !argument.startsWith('-'));
  const [markName, markValue] = runMark.split('=');
  const child = spawn(
    process.execPath,
    [
      ...[
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
      ],
      ...['--json', `--outputFile=${resultFile}`, '--passWithNoTests'],
      ...(suite.options ?? []),
      ...given,
      ...(hasOwnPaths ? [] : (suite.only ?? [])),
      // Last: jest takes all words after a list option for its values.
      ...suite.ignore.map((pattern) => `--testPathIgnorePatterns=${pattern}`),
    ],
    // jest prints its JSON on stdout as well; its report goes to stderr.
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        ...suite.env,
        [markName]: markValue,
        NODE_ENV: 'test',
        FORCE_COLOR: process.stderr.isTTY ? '1' : '0',
      },
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** Real tests from jest's own result; a file that cannot be loaded, and a process that is left, are failures too. */
function count(resultFile, status) {
  if (!existsSync(resultFile)) return { failures: ['jest ended without a result'] };
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  const tests = result.testResults.flatMap((file) => file.assertionResults);
  const skipped = tests
    .filter((test) => test.status === 'pending' || test.status === 'skipped')
    .map((test) => test.fullName);
  const failures = result.testResults
    .filter((file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'))
    .map((file) => `${file.name} could not be run`);
  const left = endLeftovers();
  if (left.length > 0) failures.push(`left running: ${left.join(', ')}`);
  const failed = result.numFailedTests;
  if (status !== 0 && failed + failures.length === 0) failures.push(`jest ended with exit code ${status}`);
  return { passed: result.numPassedTests, failed, skipped, failures };
}

/** What the search behind the last test found (`global-setup.mjs`): every secret of a test carries a mark. */
function foundSecrets(file) {
  if (!existsSync(file)) return ['logs, Redis and databases were not searched for secrets'];
  return JSON.parse(readFileSync(file, 'utf8')).map((place) => `a secret was found: ${place}`);
}

function summary({ passed = 0, failed = 0, skipped = [], failures }) {
  for (const test of skipped) console.log(`skipped: ${test}`);
  for (const failure of failures) console.log(`failed: ${failure}`);
  const allFailed = failed + failures.length;
  console.log(`${passed} passed, ${allFailed} failed`);
  return allFailed === 0 ? 0 : 1;
}

/** Processes with this run's mark in their environment (Linux). They are this run's own, so they may be ended. */
function endLeftovers() {
  if (!existsSync('/proc/self/environ')) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids
    .filter((pid) => readQuietly(`/proc/${pid}/environ`).split('\0').includes(runMark))
    .map((pid) => {
      const command = readQuietly(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 120);
      process.kill(Number(pid), 'SIGKILL');
      return `${pid} ${command}`;
    });
}

function readQuietly(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Gone meanwhile, or another user's.
    return '';
  }
}
