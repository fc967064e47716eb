import { Command } from 'commander';
import { weirVersion } from '#libs/platform';
import { commands } from './commands/index.js';
import { UsageError } from './terminal/exit-code.js';

/** The whole command line. Every command takes `--json`: JSON lines on stdout, logs on stderr. */
export function createProgram(): Command {
  const program = new Command('weir')
    .description('Runs pipelines of LLM agents; contexts are rebuilt from stored events.')
    .version(weirVersion())
    // Errors are thrown to main(), which knows the exit codes.
    .exitOverride()
    .showHelpAfterError('(weir --help shows all commands)')
    .configureHelp({ sortSubcommands: false });
  for (const register of commands) register(program);
  inheritSettings(program);
  return program;
}

/** With `--help` behind it Commander would show the help of all commands and call it fine. */
export function refuseUnknownCommand(program: Command, argv: readonly string[]): void {
  const name = argv.find((word) => !word.startsWith('-'));
  const known = ['help', ...program.commands.flatMap((command) => [command.name(), ...command.aliases()])];
  if (name === undefined || known.includes(name)) return;
  throw new UsageError(`There is no command ${name}. weir --help shows all commands.`);
}

/** Commander copies settings to subcommands only when it makes them itself, and not to those made before. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    if (child.commands.length === 0) child.option('--json', 'JSON lines on stdout, logs on stderr');
    inheritSettings(child);
  }
}
