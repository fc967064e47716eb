import { readFileSync } from 'node:fs';
import { advisories, isAffected } from '../support/dependencies/advisories.js';
import {
  ALLOWED_LICENCES,
  dependencyTables,
  productionDependencies,
  versionsOf,
  withTables,
} from '../support/dependencies/list-dependencies.js';

const dependencies = productionDependencies('.');

describe('packages that run in production', () => {
  it('have licences that were agreed to', () => {
    expect(dependencies.length).toBeGreaterThan(100);
    const others = dependencies.filter(({ licence }) => !ALLOWED_LICENCES.has(licence));
    expect(others.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([]);
  });

  it('are past every advisory that is known here', () => {
    const found = advisories.flatMap((advisory) =>
      versionsOf(dependencies, advisory.package)
        .filter((version) => isAffected(version, advisory.fixed))
        .map((version) => `${advisory.package}@${version}: ${advisory.id}, fixed in ${advisory.fixed.join(', ')}`),
    );
    expect(found).toEqual([]);
  });

  it('have advisories listed only where they are there', () => {
    const gone = advisories.filter((advisory) => versionsOf(dependencies, advisory.package).length === 0);
    expect(gone.map((advisory) => advisory.package)).toEqual([]);
  });

  it('stand in docs/dependencies.md as package-lock.json has them (npm run dependencies:list)', () => {
    const document = readFileSync('docs/dependencies.md', 'utf8');
    expect(withTables(document, dependencyTables(dependencies))).toBe(document);
  });
});

describe('a version', () => {
  it.each([
    ['3.1.6', true],
    ['3.1.7', false],
    ['3.2.0', false],
    ['4.1.3', true],
    ['4.1.4', false],
    ['2.9.9', true],
    ['5.0.0', false],
  ])('%s is affected by what was fixed in 3.1.7 and 4.1.4: %s', (version, expected) => {
    expect(isAffected(version, ['3.1.7', '4.1.4'])).toBe(expected);
  });
});
