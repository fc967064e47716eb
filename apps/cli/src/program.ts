import { Command } from 'commander';
import { weirVersion } from '#libs/platform';
import { commands } from './commands/index.js';

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

/** Commander copies settings to subcommands only when it makes them itself, and not to those made before. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    if (child.commands.length === 0) child.option('--json', 'JSON lines on stdout, logs on stderr');
    inheritSettings(child);
  }
}
