import type { FrontierStart } from './frontier.js';
import type { Marks } from './stages/stage.js';
import type { View } from './view/read-view.js';

/** Entries of the current task and the last user message (the last one that no program injected): byte for byte in every build (law C3). */
export function protectedEntries(view: View): Set<number> {
  let task: number | null = null;
  let lastUser: number | null = null;
  let lastInjected: number | null = null;
  for (const { source } of view.entries) {
    if (source.kind !== 'user') continue;
    if (source.origin === 'task') task = source.entry;
    if (source.injected) lastInjected = source.entry;
    else lastUser = source.entry;
  }
  return new Set([task, lastUser ?? lastInjected].filter((entry) => entry !== null));
}

/** What the last build pinned stays pinned until the head of the request changes anyway (law C6). */
export function pinnedSoFar(view: View, start: FrontierStart, marks: Marks): readonly number[] {
  const { last, compaction } = view;
  const isHeadKept =
    last !== null &&
    !start.isAnew &&
    last.frontier.compaction_id === (compaction.live?.id ?? null) &&
    last.frontier.forget_to === marks.forgetTo &&
    (last.frontier.left_out_to ?? 0) === marks.leftOutTo &&
    (last.frontier.truncated_to ?? 0) === marks.truncatedTo;
  return isHeadKept ? last.base.pinned : [];
}
