import type { Command } from 'commander';
import type { Finding } from '#libs/domain';
import { inspect } from '../doctor/inspect.js';
import { exitCodes, UsageError } from '../terminal/exit-code.js';
import { createOutput } from '../terminal/output.js';
import { createStyle, type Style } from '../terminal/style.js';

type Flags = { processes?: string; json?: true };

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'Check what Weir stands on (settings; DATABASE_URL and REDIS_URL, else the servers of `weir up`); exit code 1 when something fails',
    )
    .option(
      '--processes <n>',
      'how many processes of Weir there will be (default: those that are connected, at least 3)',
    )
    .action(async (flags: Flags) => {
      const output = createOutput(flags.json === true);
      const findings = await inspect(processesOf(flags));
      const style = createStyle();
      for (const finding of findings) {
        const { id, status, found, expected, advice } = finding;
        output.json({ event: 'check', id, status, found, expected, advice });
        for (const line of linesOf(finding, style)) output.text(line);
      }
      const count = (status: Finding['status']): number =>
        findings.filter((finding) => finding.status === status).length;
      const [warnings, failures] = [count('warn'), count('fail')];
      output.json({ event: 'doctor', ok: failures === 0, checks: findings.length, warnings, failures });
      output.text(`${findings.length} checks, ${warnings} warnings, ${failures} failures`);
      if (failures > 0) process.exitCode = exitCodes.failed;
    });
}

function processesOf({ processes }: Flags): number | null {
  if (processes === undefined) return null;
  if (/^[1-9]\d{0,4}$/.test(processes)) return Number(processes);
  throw new UsageError(`--processes ${processes}: expected a number, 1 or more.`);
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

function linesOf({ id, status, found, expected, advice }: Finding, style: Style): string[] {
  const first = `${style(COLOURS[status], status.padEnd(4))}  ${id.padEnd(21)}  ${found}`;
  if (advice === null) return [first];
  const indent = ' '.repeat(29);
  return [first, `${indent}expected: ${expected}`, `${indent}do: ${advice}`];
}
