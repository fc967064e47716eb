import type { ContentPart, JsonObject, ViewEvent } from '#libs/domain';
import { measureItem, measureOnce, type KnownForms, type Measured } from './measure/measured-item.js';
import { fixedParts } from './measure/fixed-parts.js';
import type { Manifest } from './neutral.js';
import type { MemoryPolicy } from './policy/policy-schema.js';
import type { Cell } from './stages/stage.js';
import type { ShownItem } from './view/entry.js';
import { memoryContent, summaryContent } from './view/fence.js';
import type { LiveCompaction } from './view/compaction-state.js';

/** The request in its order, before the shape: what stands in front of the tail, and the tail. */
export class Layout {
  private rawTokens: number | null = null;

  /**
   * @param chars size of all of it, system prompt and tools included.
   * @param sentCells how many of the `shown`, from the first on, are all that the last call of the view has sent; 0: something changed.
   */
  constructor(
    readonly pinned: readonly Cell[],
    readonly tail: readonly Cell[],
    readonly chars: number,
    readonly sentCells: number,
    private readonly shown: readonly Measured[],
    private readonly parts: LayoutParts,
  ) {}

  get summary(): Measured | null {
    return this.parts.summary;
  }

  get memory(): Measured | null {
    return this.parts.memory;
  }

  /** The raw estimate of all of it, made when it is asked for: of what was sent before the last call's record has it. */
  get tokens(): number {
    this.rawTokens ??= this.shown.slice(this.sentCells).reduce((sum, { tokens }) => sum + tokens, this.tokensBefore());
    return this.rawTokens;
  }

  /** Of what was sent before; without that, of what stands in front of the cells. */
  private tokensBefore(): number {
    const { sent, fixedTokens, summary, memory } = this.parts;
    return sent !== null && this.sentCells > 0
      ? sent.tokens
      : fixedTokens + (summary?.tokens ?? 0) + (memory?.tokens ?? 0);
  }
}

/** What the last call of the view sent, from its record. A request that has those chars of those events has those tokens. */
export type SentBefore = { readonly uptoSeq: number; readonly chars: number; readonly tokens: number };

export type LayoutParts = {
  readonly summary: Measured | null;
  readonly memory: Measured | null;
  readonly fixedChars: number;
  readonly fixedTokens: number;
  /** What the last call sent of the view; null: this request has another head. */
  readonly sent: SentBefore | null;
};

/** What does not come from entries. `liveEvent`: that of the live summary. */
export function layoutParts(
  manifest: Manifest,
  live: LiveCompaction | null,
  liveEvent: ViewEvent | null,
  memory: JsonObject | null,
  memoryPolicy: MemoryPolicy,
  known: KnownForms,
  sent: SentBefore | null,
): LayoutParts {
  const fixed = fixedParts(manifest);
  const shownMemory = beforeTailMemory(memory, memoryPolicy);
  const { model } = manifest;
  const forms = liveEvent === null ? null : known.under(model)(liveEvent);
  return {
    // A long text that stands in every build until the next one comes: looked at once.
    summary: live === null ? null : measureOnce(forms, 'summary', model, () => userItem(summaryContent(live))),
    memory: shownMemory === null ? null : measureItem(userItem(shownMemory), model),
    fixedChars: fixed.systemChars + fixed.toolsChars,
    fixedTokens: fixed.tokens,
    sent,
  };
}

const userItem = (content: readonly ContentPart[]): ShownItem => ({
  role: 'user',
  entry: null,
  content,
  state: 'whole',
  pinned: false,
});

/** The memory block of `placement: before_tail`; null: none is shown. */
export function beforeTailMemory(memory: JsonObject | null, policy: MemoryPolicy): ContentPart[] | null {
  const isShown = policy.placement === 'before_tail' && memory !== null && Object.keys(memory).length > 0;
  return isShown ? memoryContent(memory, policy.max_value_chars) : null;
}

/** System, summary, pinned, memory, tail in order of entries. */
export function layOut(cells: readonly Cell[], parts: LayoutParts): Layout {
  const { sent } = parts;
  let chars = parts.fixedChars + (parts.summary?.chars ?? 0) + (parts.memory?.chars ?? 0);
  const pinned: Cell[] = [];
  const tail: Cell[] = [];
  const shown: Measured[] = [];
  let sentCells: number | null = sent === null ? 0 : null;
  for (const cell of cells) {
    if (cell.shown === null) continue;
    if (sentCells === null && isNewSince(cell, sent)) sentCells = chars === sent?.chars ? shown.length : 0;
    chars += cell.shown.chars;
    (cell.pinned ? pinned : tail).push(cell);
    shown.push(cell.shown);
  }
  sentCells ??= chars === sent?.chars ? shown.length : 0;
  return new Layout(pinned, tail, chars, sentCells, shown, parts);
}

const isNewSince = ({ entry: { source } }: Cell, sent: SentBefore | null): boolean =>
  source.seq !== null && source.seq > (sent?.uptoSeq ?? 0);
