import type { PolicyRun, RivalResult, Session } from './compare.js';
import type { Fuzz } from './fuzz.js';
import { COMPARED } from './policies.js';
import type { RivalRun } from './play-rival.js';
import { RIVALS } from './rivals/all.js';

const number = new Intl.NumberFormat('en-US');
const ratio = (part: number, all: number): string => (all === 0 ? '-' : (part / all).toFixed(3));
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** A table whose first column is text and whose others are numbers. */
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] => [
  row(head),
  row(head.map((_, at) => (at === 0 ? '---' : '---:'))),
  ...rows.map((cells) => row(cells)),
];

/** `bench/context/report.md`. */
export function reportMarkdown(sessions: readonly Session[], fuzzes: readonly Fuzz[]): string {
  return [
    '# Contexts of recorded sessions',
    '',
    'Written by `npm run bench:context`. Sizes are chars. With a prompt cache a request costs 0.1 × the chars of the prefix that it',
    'shares with the one before it, and 1.25 × the rest; without one 1 × all of it. A call of a model that summarises costs 1 ×',
    'what it reads and 5 × what it writes. `unmanaged` is the whole history, repaired; all ratios are to it.',
    '',
    '## Cost with a prompt cache',
    '',
    'Summaries by selection, which cost nothing.',
    '',
    ...policyTable(sessions, ({ played: { total } }) => ratio(total.cost, total.cost_unmanaged)),
    '',
    'The same with summaries by a model, its calls charged.',
    '',
    ...policyTable(sessions, ({ played: { total, summaries } }) => ratio(total.cost + summaries, total.cost_unmanaged)),
    '',
    '## Chars sent',
    '',
    ...policyTable(sessions, ({ played: { total } }) => ratio(total.chars, total.chars_unmanaged)),
    '',
    '## Share of what is sent that was sent before',
    '',
    ...policyTable(sessions, ({ played: { total, prefixChars } }) => ratio(prefixChars, total.chars)),
    '',
    ...comparisons(sessions),
    ...fuzzTables(fuzzes),
    '## All of it',
    '',
    ...detailTable(sessions),
    '',
  ].join('\n');
}

function policyTable(sessions: readonly Session[], cell: (run: PolicyRun) => string): string[] {
  const labels = sessions[0]?.runs.map(({ policy }) => policy.label) ?? [];
  return table(
    ['session', 'calls', ...labels],
    sessions.map(({ name, runs }) => [name, runs[0]?.played.total.calls ?? 0, ...runs.map(cell)]),
  );
}

function comparisons(sessions: readonly Session[]): string[] {
  return [
    '## Others at equal budgets',
    '',
    'Each rival may send requests as large as the largest that Weir sent in that session; it gets the messages as an application',
    "holds them. Summaries of rivals have 12,000 chars, the most that Weir's may have. Of the settings of a LangChain middleware",
    '(what it keeps: its default, a half, a quarter of the budget; what its summariser reads: all, or its default of 4,000 tokens)',
    'the cheapest counts that keeps to the budget and loses no history without a summary. `pruneMessages` knows no size: it keeps',
    'the calls of as many last messages as the budget allows. In brackets: no setting keeps to the budget.',
    '',
    'Where Weir loses, these are the reasons. Context editing keeps three results where Weir keeps those of ten turns, and pruning',
    'keeps nothing of older calls, not even that they were made: at a budget that a few results fill, that is less to send. Without a',
    'prompt cache neither pays for what it rewrites. A summary costs 60,000 and more; in sessions of fifty to seventy calls a soft',
    'cap of 60,000 buys several that are not read often enough afterwards, and LangChain summarises less often, since it goes down',
    "to less, and reads only the last 4,000 tokens of what it removes. One session (two images in a tool's result) costs rivals 1 %",
    'less where they do nothing: they leave the images where this form refuses them. In the session of thirteen calls a sliding',
    'window as large as the largest masked request drops its oldest turns whole at the end, which is 2 % less to send.',
    '',
    ...COMPARED.flatMap((key) => comparison(sessions, key)),
  ];
}

function comparison(sessions: readonly Session[], key: string): string[] {
  const runs = sessions.flatMap(({ name, runs: all }) =>
    all.flatMap((run) => (run.policy.key === key ? [{ name, run }] : [])),
  );
  const label = runs[0]?.run.policy.label ?? key;
  const head = ['session', 'budget', 'Weir', 'Weir, model summaries', ...RIVALS.map((rival) => rival.label)];
  const cached = runs.map((one) => comparedCosts(one, 'cached'));
  const plain = runs.map((one) => comparedCosts(one, 'plain'));
  return [
    `### ${label}, with a prompt cache`,
    '',
    ...table(head, cached.map(cellsOf)),
    '',
    ...lossesOf(cached),
    '',
    `### ${label}, without one`,
    '',
    ...table(head, plain.map(cellsOf)),
    '',
    ...lossesOf(plain),
    '',
  ];
}

type Costs = {
  name: string;
  budget: number;
  weir: number;
  withModel: number;
  unmanaged: number;
  raw: number;
  rivals: readonly { label: string; run: RivalRun | null; cost: number }[];
};

function comparedCosts({ name, run }: { name: string; run: PolicyRun }, price: 'cached' | 'plain'): Costs {
  const played = price === 'cached' ? run.played : (run.uncached ?? run.played);
  const { total, summaries, largest } = played;
  const rivals = run.rivals.map((rival: RivalResult) => {
    const one = rival[price];
    return { label: rival.label, run: one, cost: one?.bill[price] ?? 0 };
  });
  const unmanaged = price === 'cached' ? total.cost_unmanaged : total.chars_unmanaged;
  return {
    name,
    budget: largest,
    weir: total.cost,
    withModel: total.cost + summaries,
    unmanaged,
    raw: run.raw?.[price] ?? 0,
    rivals,
  };
}

const cellsOf = ({ name, budget, weir, withModel, unmanaged, rivals }: Costs): string[] => [
  name,
  number.format(budget),
  ratio(weir, unmanaged),
  ratio(withModel, unmanaged),
  ...rivals.map(({ run, cost }) => {
    if (run === null) return '-';
    return run.keepsBudget ? ratio(cost, unmanaged) : `(${ratio(cost, unmanaged)})`;
  }),
];

/** Where a rival that keeps to the budget costs less, by more than rounding; one that sends the whole history does nothing. */
function lossesOf(all: readonly Costs[]): string[] {
  const lines = all.flatMap(({ name, weir, withModel, unmanaged, raw, rivals }) =>
    rivals.flatMap(({ label, run, cost }) => {
      const isIdle = Math.abs(cost - raw) < 1;
      if (run?.keepsBudget !== true || isIdle || cost >= withModel - 0.0005 * unmanaged) return [];
      const which = cost < weir - 0.0005 * unmanaged ? 'Weir' : 'Weir with model summaries';
      return [`- ${which} loses ${name} to ${label} (${run.setting}): ${ratio(cost, unmanaged)}.`];
    }),
  );
  return lines.length === 0 ? ['No rival that changes the history costs less in any session.'] : lines;
}

function fuzzTables(fuzzes: readonly Fuzz[]): string[] {
  return [
    '## Invalid requests',
    '',
    'Random streams with crashes, cancels, retries, repeated ids, parallel and unanswered calls, images and several runs; of each',
    "the request of the next call, looked at by Weir's linter. Weir's policy is drawn with the stream; some have caps that no",
    'request can keep to, which ends in a typed outcome. Rivals get the messages as an application holds them, without reasoning,',
    'and 60 % of their size as budget. `from valid`: the history itself was a valid request.',
    '',
    ...fuzzes.flatMap(({ format, streams, valid, rows }) => [
      `### ${format}: ${number.format(streams)} streams, ${number.format(valid)} of them valid histories`,
      '',
      ...table(
        ['', 'invalid', 'from valid', 'typed outcomes', 'most frequent'],
        rows.map(({ label, invalid, ofValid, typed, rules }) => [
          label,
          number.format(invalid),
          number.format(ofValid),
          number.format(typed),
          frequent(rules),
        ]),
      ),
      '',
    ]),
  ];
}

const frequent = (rules: ReadonlyMap<string, number>): string =>
  [...rules]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([rule, count]) => `${rule} ${number.format(count)}`)
    .join(', ');

function detailTable(sessions: readonly Session[]): string[] {
  const head = [
    'session',
    'policy',
    'chars',
    'prefix',
    'largest',
    'cost',
    'summaries',
    'masked',
    'compactions',
    'over',
    'lint',
  ];
  const rows = sessions.flatMap(({ name, runs }) =>
    runs.flatMap(({ policy, played, rivals }) => {
      const { total, prefixChars, largest, summaries } = played;
      const { masked, compactions, over_hard_cap: over, lint_violations: lint } = total;
      const own = [total.chars, prefixChars, largest, total.cost, summaries, masked, compactions, over, lint];
      const unmanaged = [total.chars_unmanaged, '', '', total.cost_unmanaged, '', '', '', '', ''];
      return [
        ...(policy.key === 'auto' ? [[name, 'unmanaged', ...unmanaged]] : []),
        [name, policy.label, ...own],
        ...rivals.flatMap((rival) => rivalRow(name, policy.label, rival)),
      ];
    }),
  );
  return table(
    head,
    rows.map((cells) => cells.map((cell) => (typeof cell === 'number' ? number.format(Math.round(cell)) : cell))),
  );
}

function rivalRow(name: string, policy: string, { label, cached }: RivalResult): (string | number)[][] {
  if (cached === null) return [];
  const { chars, prefixChars, largest, charged } = cached.bill;
  const cost = cached.bill.cached - charged;
  return [
    [name, `${label} (${cached.setting}) beside ${policy}`, chars, prefixChars, largest, cost, charged, '', '', '', ''],
  ];
}
