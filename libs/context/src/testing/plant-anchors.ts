import type { ConversationEntry } from '../shape/index.js';

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

/** `sentence`: as somebody writes it. `data`: without a sentence around it; in tool results as a field of JSON. */
export type PlantedAs = 'sentence' | 'data';

/** The session with each anchor said once, evenly over its turns: at the end of a text that is there anyway. */
export function plantAnchors(entries: readonly ConversationEntry[], as: PlantedAs): ConversationEntry[] {
  const places = entries.flatMap((entry, index) => (entry.kind === 'memory' || !hasText(entry) ? [] : [index]));
  const at = new Map<number, string[]>();
  for (const [n, anchor] of PLANTED.entries()) {
    const index = places[Math.floor((n * places.length) / COUNT)];
    if (index !== undefined) at.set(index, [...(at.get(index) ?? []), anchor]);
  }
  return entries.map((entry, index) => said(entry, at.get(index) ?? [], as));
}

const hasText = (entry: Exclude<ConversationEntry, { kind: 'memory' }>): boolean =>
  entry.content.some((part: { type: string }) => part.type === 'text');

function said(entry: ConversationEntry, anchors: readonly string[], as: PlantedAs): ConversationEntry {
  if (anchors.length === 0) return entry;
  const note = { type: 'text' as const, text: noteOf(entry, anchors, as) };
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

function noteOf(entry: ConversationEntry, anchors: readonly string[], as: PlantedAs): string {
  if (as === 'sentence') return `Note ${anchors.join(' and ')}.`;
  return entry.kind === 'result'
    ? JSON.stringify({ ok: true, found: anchors })
    : `noted ${anchors.join(' and ')} so far`;
}
