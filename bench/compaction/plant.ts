import type { ConversationEntry } from '../../libs/context/src/index.js';

const COUNT = 40;

/** Forty things that no summary can guess, of four kinds, the same in each session. */
export const PLANTED: readonly string[] = Array.from({ length: COUNT }, (_, n) => {
  const kinds = [
    `ORD-${70_001 + n * 13}`,
    `src/plant${n}/unit_${n}.ts`,
    `https://plant.example/t/${n}a`,
    `${41_000 + n * 7}.50`,
  ];
  return kinds[n % kinds.length] ?? '';
});

/** The session with each anchor said once, evenly over its turns: at the end of a text that is there anyway. */
export function plant(entries: readonly ConversationEntry[]): ConversationEntry[] {
  const places = entries.flatMap((entry, index) => (entry.kind === 'memory' || !hasText(entry) ? [] : [index]));
  const at = new Map<number, string[]>();
  for (const [n, anchor] of PLANTED.entries()) {
    const index = places[Math.floor((n * places.length) / COUNT)];
    if (index !== undefined) at.set(index, [...(at.get(index) ?? []), anchor]);
  }
  return entries.map((entry, index) => said(entry, at.get(index) ?? []));
}

const hasText = (entry: Exclude<ConversationEntry, { kind: 'memory' }>): boolean =>
  entry.content.some((part: { type: string }) => part.type === 'text');

function said(entry: ConversationEntry, anchors: readonly string[]): ConversationEntry {
  if (anchors.length === 0) return entry;
  const note = { type: 'text' as const, text: `Note ${anchors.join(' and ')}.` };
  switch (entry.kind) {
    case 'memory':
      return entry;
    case 'assistant':
      return { ...entry, content: [...entry.content, note] };
    case 'user':
    case 'documents':
    case 'result':
      return { ...entry, content: [...entry.content, note] };
  }
}
