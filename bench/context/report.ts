import type { Measured } from './measure.js';

export type Session = { name: string; measured: readonly Measured[] };

const number = new Intl.NumberFormat('en-US');
const share = (part: number, all: number): string => (all === 0 ? '-' : (part / all).toFixed(2));

/** The tables of `bench/context/report.md`. */
export function reportMarkdown(sessions: readonly Session[]): string {
  return [
    '# Contexts of recorded sessions',
    '',
    'Written by `npm run bench:context`. Sizes are chars; cost is read × the chars of the common prefix + write × the rest,',
    'with cached reads at 0.1 and writes at 1.25, summaries by selection (free). `unmanaged` is repair alone.',
    '',
    '## Cost against unmanaged',
    '',
    ...costTable(sessions),
    '',
    '## Chars sent against unmanaged',
    '',
    ...charsTable(sessions),
    '',
    '## All of it',
    '',
    ...detailTable(sessions),
    '',
  ].join('\n');
}

const labelsOf = (sessions: readonly Session[]): string[] =>
  (sessions[0]?.measured ?? []).map(({ policy }) => policy.label);

function costTable(sessions: readonly Session[]): string[] {
  return ratioTable(sessions, ({ total }) => share(total.cost, total.cost_unmanaged));
}

function charsTable(sessions: readonly Session[]): string[] {
  return ratioTable(sessions, ({ total }) => share(total.chars, total.chars_unmanaged));
}

function ratioTable(sessions: readonly Session[], cell: (measured: Measured) => string): string[] {
  const labels = labelsOf(sessions);
  return [
    `| session | calls | ${labels.join(' | ')} |`,
    `| --- | ---: | ${labels.map(() => '---:').join(' | ')} |`,
    ...sessions.map(
      ({ name, measured }) =>
        `| ${name} | ${measured[0]?.total.calls ?? 0} | ${measured.map((one) => cell(one)).join(' | ')} |`,
    ),
  ];
}

function detailTable(sessions: readonly Session[]): string[] {
  const rows = sessions.flatMap(({ name, measured }) =>
    measured.map(({ policy, total, calls }) =>
      [
        name,
        policy.label,
        number.format(total.chars),
        number.format(total.chars_unmanaged),
        number.format(Math.max(0, ...calls.map(({ chars }) => chars))),
        number.format(Math.round(total.cost)),
        number.format(Math.round(total.cost_unmanaged)),
        number.format(total.masked),
        number.format(total.compactions),
        number.format(total.over_hard_cap),
        number.format(total.lint_violations),
      ].join(' | '),
    ),
  );
  return [
    '| session | policy | chars | unmanaged | largest call | cost | unmanaged | masked | compactions | over cap | lint |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map((row) => `| ${row} |`),
  ];
}
