import { BOUND_CHARS, type Anchors, type Kind, type Measured } from './measure.js';

export type Session = { name: string; turns: number; anchors: Anchors; measured: readonly Measured[] };

const KINDS: readonly { kind: Kind; heading: string }[] = [
  { kind: 'planted', heading: 'planted' },
  { kind: 'planted_in_data', heading: 'planted in data' },
  { kind: 'user_constraints', heading: "user's constraints" },
  { kind: 'paths', heading: 'paths' },
  { kind: 'ids', heading: 'ids' },
  { kind: 'numbers', heading: 'numbers' },
  { kind: 'decisions', heading: 'decisions' },
];

const share = (value: number | null): string => (value === null ? '–' : `${Math.round(value * 100)} %`);
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const whole = (value: number): string => new Intl.NumberFormat('en-US').format(value);

export function reportMarkdown(sessions: readonly Session[]): string {
  return [
    '# What summaries keep',
    '',
    'Written by `npm run bench:compaction`: offline, no model. Each recorded session is compacted 1, 3, 5 and 10 times over its',
    `length, each time by the compactor's own code within ${whole(BOUND_CHARS)} chars; what stands in for a model writes a quarter`,
    'to half of that at most, the rest is recorded by code. Forty anchors (ids, paths, addresses, amounts) are planted in each',
    'session, one every few turns, in what users, assistants and tools said: `planted` in a short sentence, `planted in data`',
    'without one, in results as a field of JSON behind what the tool gave. Of what the session itself holds at most forty of a',
    'kind are looked for, spread over its length. A constraint or a decision counts only when the whole sentence is there, word',
    'for word: what a model says in other words is not seen, so these columns are lower bounds; of constraints in a session',
    'whose users say much more than 6,000 chars, not more can be there.',
    '',
    '`extractive`: by selection. `lossy`: every third line of that, without any identifier, path or number. `echoing`: what it',
    'read, as far as it fits. `mute`: two words; what is kept there is kept by code alone.',
    '',
    '## All sessions',
    '',
    ...meanTable(sessions),
    '',
    ...sessions.flatMap(sessionTable),
  ].join('\n');
}

function meanTable(sessions: readonly Session[]): string[] {
  const cases = sessions[0]?.measured ?? [];
  return [
    row(['summariser', 'compactions', ...KINDS.map(({ heading }) => heading), 'longest summary']),
    row(['---', '--:', ...KINDS.map(() => '--:'), '--:']),
    ...cases.map(({ summariser, rounds }) => {
      const same = sessions.flatMap(({ measured }) =>
        measured.filter((one) => one.summariser === summariser && one.rounds === rounds),
      );
      const mean = (kind: Kind): number | null => {
        const values = same.flatMap(({ kept }) => (kept[kind] === null ? [] : [kept[kind]]));
        return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
      };
      const longest = Math.max(...same.map(({ chars }) => chars));
      return row([summariser, rounds, ...KINDS.map(({ kind }) => share(mean(kind))), whole(longest)]);
    }),
  ];
}

function sessionTable({ name, turns, anchors, measured }: Session): string[] {
  const counts = KINDS.map(({ kind, heading }) => `${anchors[kind].length} ${heading}`).join(', ');
  return [
    `## ${name}`,
    '',
    `${turns} turns, ${whole(measured[0]?.sourceChars ?? 0)} chars. Looked for: ${counts}.`,
    '',
    row(['summariser', 'compactions', ...KINDS.map(({ heading }) => heading), 'chars']),
    row(['---', '--:', ...KINDS.map(() => '--:'), '--:']),
    ...measured.map(({ summariser, rounds, kept, chars }) =>
      row([summariser, rounds, ...KINDS.map(({ kind }) => share(kept[kind])), whole(chars)]),
    ),
    '',
  ];
}
