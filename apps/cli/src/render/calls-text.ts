import type { CallLine, TotalLine } from '#libs/engine';
import { whole } from '../terminal/numbers.js';
import type { Style } from '../terminal/style.js';
import { table } from '../terminal/table.js';

const HEADINGS = [
  'call',
  'message',
  'messages',
  'chars',
  'unmanaged',
  'tokens',
  'masked',
  'omitted',
  'compacted',
  'prefix',
  'cost',
  '',
] as const;

/** One line a call: what it sends beside what it would send without a policy, and what of it was sent before. */
export function callsText(calls: readonly CallLine[], style: Style): string[] {
  const rows = calls.map((line) => {
    const cells = [
      whole(line.call),
      line.message_index === null ? '' : `#${line.message_index}`,
      whole(line.messages),
      whole(line.chars),
      whole(line.chars_unmanaged),
      whole(line.tokens),
      whole(line.masked),
      whole(line.omitted),
      whole(line.compacted),
      share(line.common_prefix_chars, line.chars),
      whole(Math.round(line.cost)),
    ];
    return [...cells.map((cell, column) => cell.padStart(widthOf(HEADINGS[column] ?? ''))), noteOf(line, style)];
  });
  return table([...HEADINGS], rows);
}

const widthOf = (heading: string): number => Math.max(heading.length, 9);

function noteOf(line: CallLine, style: Style): string {
  if (line.outcome === 'over_hard_cap') return style('red', 'over the hard cap');
  if (line.lint.length > 0) return style('red', line.lint.map(({ rule }) => rule).join(', '));
  return '';
}

/** What all calls came to, beside the same session without a policy. */
export function totalText(total: TotalLine, style: Style): string[] {
  const { chars, chars_unmanaged: plainChars, cost, cost_unmanaged: plainCost } = total;
  return [
    style('bold', `${whole(total.calls)} calls`),
    `  chars       ${whole(chars)} of ${whole(plainChars)} unmanaged (${share(chars, plainChars)})`,
    `  cost        ${whole(Math.round(cost))} of ${whole(Math.round(plainCost))} unmanaged (${share(cost, plainCost)}), in chars of input`,
    `  tokens      ${whole(total.tokens)}`,
    `  masked      ${whole(total.masked)} results`,
    `  compactions ${whole(total.compactions)}`,
    ...(total.over_hard_cap === 0 ? [] : [style('red', `  over cap    ${whole(total.over_hard_cap)}`)]),
    ...(total.lint_violations === 0 ? [] : [style('red', `  lint        ${whole(total.lint_violations)} violations`)]),
  ];
}

const share = (part: number, all: number): string => (all === 0 ? '-' : `${Math.round((1000 * part) / all) / 10}%`);
