import { createProgram, refuseUnknownCommand } from './program.js';
import { exitCodeOf, UnreachableError, UsageError } from './terminal/exit-code.js';

async function failureOf(...argv: string[]): Promise<unknown> {
  const program = createProgram();
  const silence = { writeOut: () => undefined, writeErr: () => undefined };
  const all = [program, ...program.commands, ...program.commands.flatMap((command) => command.commands)];
  for (const command of all) command.configureOutput(silence);
  return program.parseAsync(argv, { from: 'user' }).then(
    () => null,
    (error: unknown) => error,
  );
}

describe('the command line', () => {
  it.each([
    [['nonsense']],
    [['up', '--bogus']],
    [['up', '--port', '70000']],
    [['up', '--workers', '0']],
    [['run', 'x', '--delay', '5']],
    [['run', 'x', '--delay', '400d']],
    [['run', 'x', '--priority', '101']],
    [['run', 'x', '--priority', '-100.5']],
    [['run', 'x', '--priority', '']],
    [['run', 'x', '--deadline', '2030-02-30T00:00:00Z']],
    [['run', 'x', '--deadline', '2030-02-28T00:00:00']],
    [['keys', 'create']],
    [['keys', 'create', '--name', 'x', '--scope', 'root']],
  ])('answers %j with the exit code for wrong usage', async (argv) => {
    expect(exitCodeOf(await failureOf(...argv))).toBe(2);
  });

  it.each([[['--help']], [['--version']], [['up', '--help']]])('answers %j with exit code 0', async (argv) => {
    expect(exitCodeOf(await failureOf(...argv))).toBe(0);
  });

  it('knows no command by guessing, with or without --help', () => {
    for (const argv of [
      ['nonsense', '--help'],
      ['--json', 'nonsense'],
    ])
      expect(() => refuseUnknownCommand(createProgram(), argv)).toThrow('no command nonsense');
    for (const argv of [['run', '--help'], ['--help'], []]) refuseUnknownCommand(createProgram(), argv);
  });

  it('knows --json for every command', () => {
    const leaves = createProgram()
      .commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]))
      .filter((command) => command.name() !== 'help');
    expect(leaves.length).toBeGreaterThan(2);
    for (const leaf of leaves)
      expect([leaf.name(), leaf.options.some((option) => option.long === '--json')]).toEqual([leaf.name(), true]);
  });

  it('tells apart what was called wrongly, what cannot be reached and what failed', () => {
    expect(
      [new UsageError('x'), new UnreachableError('http://x', new Error('refused')), new Error('x')].map(exitCodeOf),
    ).toEqual([2, 3, 1]);
  });
});
