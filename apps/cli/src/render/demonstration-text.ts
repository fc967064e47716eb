import { whole } from '../terminal/numbers.js';
import type { Style } from '../terminal/style.js';
import { facts } from '../terminal/table.js';
import type { DemoResult } from '../up/demonstration/demonstration.js';

/** What one demonstration showed, as a small table. */
export function demonstrationText(result: DemoResult, style: Style): string[] {
  const verdict = result.ok ? style('green', 'ok') : style('red', 'FAILED');
  const count = (value: number | null): string | null => (value === null ? null : whole(Math.round(value)));
  const rows = facts([
    ['runs', count(result.runs)],
    ['model calls', count(result.model_calls)],
    ['chars sent', against(result.chars_sent, result.chars_unmanaged)],
    ['cost', against(result.cost, result.cost_unmanaged, ' (cached reads at 0.1, writes at 1.25)')],
    ['masked results', count(result.masked_results)],
    ['compactions', count(result.compactions)],
    ['longest build', result.max_build_ms === null ? null : `${result.max_build_ms} ms`],
    ['linter violations', count(result.lint_violations)],
    ['contexts rebuilt', result.hash_mismatches === null ? null : rebuilt(result.hash_mismatches)],
  ]);
  return [`\n  ${verdict}  ${style('bold', result.name)}`, ...rows.map((row) => `      ${row}`)];
}

const rebuilt = (mismatches: number): string =>
  mismatches === 0 ? 'all equal' : `${whole(mismatches)} gave other bytes`;

function against(part: number | null, all: number | null, note = ''): string | null {
  if (part === null || all === null) return null;
  const share = all === 0 ? '' : ` (${Math.round((1000 * part) / all) / 10}%)`;
  return `${whole(Math.round(part))} of ${whole(Math.round(all))} unmanaged${share}${note}`;
}
