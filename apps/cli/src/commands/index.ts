import type { Command } from 'commander';
import { registerKeys } from './keys.command.js';
import { registerMigrate } from './migrate.command.js';
import { registerUp } from './up.command.js';

/** In the order of `weir --help`. To add a command: a file beside this one, and a line here. */
export const commands: readonly ((program: Command) => void)[] = [registerUp, registerMigrate, registerKeys];
