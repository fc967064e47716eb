import { readdirSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createProgram } from '../../../apps/cli/src/program.js';

/** What README, guide and runbook tell readers to type: each command and each option of it exists. */
const docs = new URL('../../../docs/', import.meta.url);
const pages = ['guide', 'runbook'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, docs))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`),
);
const COMMAND = /\b(?:npx weir|apps\/cli\/bin\/weir\.mjs) ([a-z][^`\n]*)/g;

/** The words of a command line, up to what the shell or a reader takes over; a text in quotes is a word. */
const wordsOf = (line: string): string[] =>
  line
    .split(/ [#|>;] ?| \\$| · /)[0]!
    .match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)!
    .map((word) => word.replace(/[.,:)]+$/, ''));

function faultOf(words: readonly string[]): string | null {
  let command: Command = createProgram();
  let rest = [...words];
  for (let child = childOf(command, rest[0]); child !== undefined; child = childOf(command, rest[0])) {
    command = child;
    rest = rest.slice(1);
  }
  if (command.parent === null) return `no command ${words[0] ?? ''}`;
  // Of `compactions [ID]` the options are those of its default.
  const known = [command, ...command.commands.filter((one) => one.name() === 'list')].flatMap(({ options }) =>
    options.flatMap(({ long, short }) => [long, short]),
  );
  const unknown = rest.filter(
    (word) => /^--?[a-z]/.test(word) && word !== '--help' && !known.includes(word.split('=')[0]),
  );
  return unknown.length === 0 ? null : `no ${unknown.join(', ')} of ${command.name()}`;
}

const childOf = (command: Command, name: string | undefined): Command | undefined =>
  command.commands.find((child) => child.name() === name);

it.each(['../README.md', ...pages])('%s names commands and options that there are', (page) => {
  const lines = [...readFileSync(new URL(page, docs), 'utf8').matchAll(COMMAND)].map(([, line = '']) => line);
  const faults = lines.flatMap((line) => {
    const [names = '', ...rest] = wordsOf(line);
    // `approve|deny ID` is two.
    return names.split('|').flatMap((name) => {
      const fault = faultOf([name, ...rest]);
      return fault === null ? [] : [`weir ${line}: ${fault}`];
    });
  });
  expect(faults).toEqual([]);
});

it('guide/command-line.md has every command', () => {
  const page = readFileSync(new URL('guide/command-line.md', docs), 'utf8');
  const missing = createProgram().commands.filter((command) => !page.includes(`\`${command.name()}`));
  expect(missing.map((command) => command.name())).toEqual([]);
});
