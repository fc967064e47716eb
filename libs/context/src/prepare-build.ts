import type { ViewEvent } from '#libs/domain';
import type { BuildInput } from './build-result.js';
import type { Caps } from './caps.js';
import { capsOfDraft } from './choose-marks.js';
import { draftUnder, type Draft } from './draft.js';
import { frontierStart, type FrontierStart } from './frontier.js';
import { layoutParts, type LayoutParts, type SentBefore } from './layout.js';
import { fixedParts } from './measure/fixed-parts.js';
import { KnownForms } from './measure/measured-item.js';
import { tokenRatios } from './measure/token-ratio.js';
import { readPolicy, type EffectivePolicy } from './policy/index.js';
import { pinnedSoFar, protectedEntries } from './protected-entries.js';
import { everything } from './stages/select.js';
import type { Knobs, Marks, StageView } from './stages/stage.js';
import { readView, type View } from './view/read-view.js';

/** Everything that the steps of one build read; nothing of it changes. */
export type Build = {
  readonly input: BuildInput;
  readonly view: View;
  readonly policy: EffectivePolicy;
  readonly base: StageView;
  readonly knobs: Omit<Knobs, 'marks'>;
  readonly parts: LayoutParts;
  readonly start: FrontierStart;
  readonly ratios: { readonly [model: string]: number };
  readonly ratio: number;
  readonly draft: (marks: Marks) => Draft;
  readonly capsOf: (draft: Draft) => Caps;
};

export function prepareBuild(input: BuildInput): Build {
  const { manifest } = input;
  const policy = readPolicy(manifest.policy);
  const seen = input.events.filter((event) => event.seq <= input.uptoSeq);
  const view = readView(seen, input.view);
  const knobs = { policy, model: manifest.model, protectedEntries: protectedEntries(view) };
  const known = input.known ?? new KnownForms();
  const live = input.purpose === 'unmanaged' ? null : view.compaction.live;
  const liveEvent = live === null ? null : (seen.find(({ seq }) => seq === live.appliedSeq) ?? null);
  const base = everything(view, manifest.model, policy.memory.max_value_chars, known);
  const start = frontierStart(view, input.policyHash, manifest.model);
  const sent = start.isAnew ? null : sentBefore(view, fixedParts(manifest).key);
  const parts = layoutParts(manifest, live, liveEvent, input.memory, policy.memory, known, sent);
  const ratios = tokenRatios(view);
  const ratio = ratios[manifest.model.id] ?? manifest.model.tokenRatio;
  return {
    input,
    view,
    policy,
    base,
    knobs,
    parts,
    start,
    ratios,
    ratio,
    draft: onceForMarks((marks) =>
      draftUnder(
        marks,
        base,
        { ...knobs, protectedEntries: new Set([...knobs.protectedEntries, ...pinnedSoFar(view, start, marks)]) },
        parts,
      ),
    ),
    capsOf: capsOfDraft(policy, manifest.model, ratio, refusedChars(seen, view)),
  };
}

/** Null: there is no last call, or it had another head than this request. */
function sentBefore({ last, compaction }: View, head: string): SentBefore | null {
  if (last === null || last.base.head !== head || last.frontier.compaction_id !== (compaction.live?.id ?? null))
    return null;
  return { uptoSeq: last.uptoSeq, chars: last.chars, tokens: last.base.raw_tokens };
}

/** The draft under the start's marks is looked at twice: to choose, and for what of it is sent again. */
function onceForMarks(draft: (marks: Marks) => Draft): (marks: Marks) => Draft {
  const drafts = new Map<Marks, Draft>();
  return (marks) => {
    const made = drafts.get(marks) ?? draft(marks);
    drafts.set(marks, made);
    return made;
  };
}

/** Chars of the view's last request if the provider found it too long. */
function refusedChars(seen: readonly ViewEvent[], view: View): number | null {
  const { last } = view;
  if (last === null) return null;
  const isRefused = seen.some(
    (event) => event.seq > last.seq && event.type === 'LlmCallFailed' && event.data.class === 'context_overflow',
  );
  return isRefused ? last.chars : null;
}
