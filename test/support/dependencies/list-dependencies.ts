import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { advisories } from './advisories.js';

/** A package that runs in production: in package-lock.json and not for development only. */
export type Dependency = { name: string; version: string; licence: string; isDirect: boolean };

/** Licences that ask for no more than to be named. Another one is a decision, taken here. */
export const ALLOWED_LICENCES: ReadonlySet<string> = new Set([
  ...[
    'MIT',
    'ISC',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'BlueOak-1.0.0',
    'Unlicense',
    'Python-2.0',
    'Public Domain',
  ],
]);

type Lock = {
  packages: Record<
    string,
    { version?: string; license?: string; dev?: boolean; devOptional?: boolean; link?: boolean }
  >;
};
type Manifest = { dependencies: Record<string, string>; optionalDependencies: Record<string, string> };

/** By name, then version; what is there twice in one version stands once. */
export function productionDependencies(root: string): Dependency[] {
  const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const direct = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)]);
  const found = new Map<string, Dependency>();
  for (const [path, { version = '', license = 'none named', dev = false, link = false }] of Object.entries(
    lock.packages,
  )) {
    if (path === '' || dev || link) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const isDirect = direct.has(name) && path === `node_modules/${name}`;
    const known = found.get(`${name}@${version}`);
    found.set(`${name}@${version}`, {
      name,
      version,
      licence: license,
      isDirect: isDirect || known?.isDirect === true,
    });
  }
  return [...found.values()].sort((a, b) => compare(`${a.name}@${a.version}`, `${b.name}@${b.version}`));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The generated part of docs/dependencies.md, between its marks. */
export function dependencyTables(dependencies: readonly Dependency[]): string {
  const direct = dependencies.filter(({ isDirect }) => isDirect);
  const licences = [...new Set(dependencies.map(({ licence }) => licence))].sort(compare);
  return [
    `${dependencies.length} packages run in production, ${direct.length} of them chosen by Weir.`,
    table(
      ['Chosen by Weir', 'Version', 'Licence'],
      direct.map(({ name, version, licence }) => [name, version, licence]),
    ),
    '## By licence',
    ...licences.map((licence) => {
      const held = dependencies.filter((one) => one.licence === licence);
      return `**${licence}** (${held.length}): ${held.map(({ name, version }) => `${name}@${version}`).join(', ')}`;
    }),
    '## Advisories that were looked up',
    table(
      ['Package', 'Advisory', 'What', 'Fixed in', 'Ours'],
      advisories.map((one) => [
        one.package,
        one.id,
        one.what,
        one.fixed.join(', '),
        versionsOf(dependencies, one.package).join(', '),
      ]),
    ),
  ].join('\n\n');
}

export const versionsOf = (dependencies: readonly Dependency[], wanted: string): string[] =>
  dependencies.filter(({ name }) => name === wanted).map(({ version }) => version);

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, 3, ...rows.map((row) => (row[at] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(headings), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

export const BEGIN = '<!-- generated: npm run dependencies:list -->';
export const END = '<!-- end -->';

/** The document with its generated part made anew. */
export function withTables(document: string, tables: string): string {
  const [before = '', rest = ''] = document.split(BEGIN);
  const [, after = ''] = rest.split(END);
  return `${before}${BEGIN}\n\n${tables}\n\n${END}${after}`;
}
