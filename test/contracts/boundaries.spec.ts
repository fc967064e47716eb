import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(import.meta.url);
const configuration = join(root, '.dependency-cruiser.cjs');

type Violation = { rule: { name: string }; from: string; to: string };

/** A small house with one violation of each rule, in a file that is named for the rule. */
function violationsOfFixtures(): Violation[] {
  const depcruise = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
  const answer = execFileSync(
    process.execPath,
    [depcruise, '--config', configuration, '--output-type', 'json', 'apps', 'libs', 'test'],
    { cwd: join(root, 'test', 'fixtures', 'boundaries'), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return (JSON.parse(answer) as { summary: { violations: Violation[] } }).summary.violations;
}

describe('the rules of who may import whom', () => {
  const rules = (require(configuration) as { forbidden: { name: string }[] }).forbidden.map((rule) => rule.name);
  const violations = violationsOfFixtures();

  it.each(rules)('%s finds its violation', (name) => {
    const found = violations
      .filter((violation) => violation.rule.name === name)
      .map((violation) => basename(violation.from, '.ts').replace(/\.spec$/, ''));
    expect(found).toContain(name);
  });

  it('let pass what the house allows', () => {
    expect(violations.filter((violation) => basename(violation.from).startsWith('allowed'))).toEqual([]);
  });
});
