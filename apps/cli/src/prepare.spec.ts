import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin', import.meta.url));

type Answer = { code: number | null; stdout: string; stderr: string };

/** A small checkout: our launcher, one source, and a compiler that notes each of its runs. */
function createCheckout(): { root: string; write: (path: string, text: string) => void; compilations: () => number } {
  const root = mkdtempSync(join(tmpdir(), 'weir-checkout-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  cpSync(bin, join(root, 'apps/cli/bin'), { recursive: true });
  write('package.json', '{ "type": "module" }');
  write('package-lock.json', '{ "packages": { "": {}, "node_modules/a": { "version": "1.0.0" } } }');
  write('node_modules/.package-lock.json', '{ "packages": { "node_modules/a": { "version": "1.0.0" } } }');
  write('fake-npm.js', `console.error('npm', ...process.argv.slice(2)); process.exit(7);`);
  write('tsconfig.json', '{}');
  write('tsconfig.build.json', '{}');
  write('libs/domain/src/index.ts', 'export {};');
  write('apps/cli/src/main.ts', 'export {};');
  write('node_modules/typescript/package.json', '{ "type": "commonjs" }');
  write(
    'node_modules/typescript/bin/tsc',
    `const fs = require('fs');
     fs.appendFileSync('compilations', '.');
     if (fs.readFileSync('apps/cli/src/main.ts', 'utf8').includes('broken')) process.exit(2);
     const out = process.argv[process.argv.indexOf('--outDir') + 1];
     fs.mkdirSync(out + '/apps/cli/src', { recursive: true });
     fs.writeFileSync(out + '/apps/cli/src/main.js', 'export async function main(argv) { console.log("ran", ...argv); }');`,
  );
  return {
    root,
    write,
    compilations: () =>
      existsSync(join(root, 'compilations')) ? readFileSync(join(root, 'compilations'), 'utf8').length : 0,
  };
}

async function weir(root: string, ...args: string[]): Promise<Answer> {
  // Stands for npm: installing anything here would be a mistake.
  const env = { PATH: process.env['PATH'], npm_execpath: join(root, 'fake-npm.js') };
  const child = spawn(process.execPath, [join(root, 'apps/cli/bin/weir.mjs'), ...args], { cwd: root, env });
  const answer = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (answer.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (answer.stderr += text.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...answer };
}

describe('bin/weir.mjs', () => {
  let checkout: ReturnType<typeof createCheckout>;
  beforeEach(() => {
    checkout = createCheckout();
  });
  afterEach(() => rmSync(checkout.root, { recursive: true, force: true }));

  it('compiles once, and again only when a source has changed', async () => {
    expect(await weir(checkout.root, 'show', 'run_1')).toMatchObject({ code: 0, stdout: 'ran show run_1\n' });
    await weir(checkout.root);
    checkout.write('libs/domain/src/index.spec.ts', '// a test is no part of the build');
    await weir(checkout.root);
    expect(checkout.compilations()).toBe(1);
    checkout.write('libs/domain/src/index.ts', 'export const changed = 1;');
    await weir(checkout.root);
    expect(checkout.compilations()).toBe(2);
  });

  it('compiles once when two commands start at the same time', async () => {
    const answers = await Promise.all([weir(checkout.root), weir(checkout.root), weir(checkout.root)]);
    expect(answers.map((answer) => answer.code)).toEqual([0, 0, 0]);
    expect(checkout.compilations()).toBe(1);
  });

  it('takes over the lock of a command that was killed', async () => {
    const killed = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => killed.once('close', resolve));
    checkout.write('.weir-prepare.lock/pid', String(killed.pid));
    expect((await weir(checkout.root)).code).toBe(0);
  });

  it('reports a failed build, with --json as a line', async () => {
    checkout.write('apps/cli/src/main.ts', 'broken');
    const answer = await weir(checkout.root, 'up', '--json');
    expect(answer.code).toBe(1);
    const lines = answer.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { event: 'failed', code: 'not_prepared' },
      { event: 'stopped', exit_code: 1 },
    ]);
    expect(answer.stderr).toMatch(/the build failed/);
  });

  it('runs what is shipped without sources as it is', async () => {
    await weir(checkout.root);
    rmSync(join(checkout.root, 'apps/cli/src'), { recursive: true });
    checkout.write('libs/domain/src/index.ts', 'changed');
    expect((await weir(checkout.root)).code).toBe(0);
    expect(checkout.compilations()).toBe(1);
  });

  it('installs when node_modules holds another version than the lock names', async () => {
    checkout.write('package-lock.json', '{ "packages": { "": {}, "node_modules/a": { "version": "2.0.0" } } }');
    const answer = await weir(checkout.root);
    expect(answer.stderr).toMatch(/npm ci[^]*npm ci failed \(exit code 7\)/);
    expect(answer.code).toBe(1);
  });
});
