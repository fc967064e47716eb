import type { AssistantPart, ContentPart, ToolCall } from '#libs/domain';
import type { ShownItem } from '../view/entry.js';
import { fitArguments } from './call-arguments.js';
import type { Repair, RepairRule } from './conversation.js';
import {
  describeAnswerPart,
  describePart,
  knownPart,
  takesDocument,
  takesImage,
  type PartRules,
} from './describe-part.js';
import type { PartPlaces } from './formats.js';
import { fitToolName } from './tool-name.js';
import { isBlank, isWellFormed, wellFormed, wellFormedJson } from './well-formed.js';

/** Stands where nothing else of a message is left: providers refuse empty content. */
export const EMPTY_MESSAGE = '[empty message]';
export const EMPTY_RESULT = '[no output]';

export type FitRules = PartRules & { modelId: string };
type Note = (rule: RepairRule, detail: string) => void;

/** Items that were fitted, and under which rules: those are not walked again. */
const fittedUnder = new WeakMap<ShownItem, FitRules>();

/** One item as the format takes it. Fitting what fits already changes nothing; what was fitted is answered itself. */
export function fitItem(item: ShownItem, rules: FitRules, repairs: Repair[]): ShownItem {
  if (isSame(fittedUnder.get(item), rules)) return item;
  const fitted = fit(item, rules, repairs);
  fittedUnder.set(fitted, rules);
  return fitted;
}

const isSame = (known: FitRules | undefined, rules: FitRules): boolean =>
  known !== undefined &&
  known.profile === rules.profile &&
  known.images === rules.images &&
  known.documents === rules.documents &&
  known.modelId === rules.modelId;

function fit(item: ShownItem, rules: FitRules, repairs: Repair[]): ShownItem {
  const entries = item.entry === null ? [] : [item.entry];
  const note: Note = (rule, detail) => void repairs.push({ rule, entries, detail });
  switch (item.role) {
    case 'user':
      return { ...item, content: fitContent(item.content, 'user', rules, EMPTY_MESSAGE, note) };
    case 'tool':
      return {
        ...item,
        name: fitName(item.name, rules, note),
        content: fitContent(item.content, 'tool', rules, EMPTY_RESULT, note),
      };
    case 'assistant':
      return {
        ...item,
        content: fitAnswer(item.content, item.model, item.calls.length > 0, rules, note),
        calls: item.calls.map((call, ordinal) =>
          fitCall(call, rules.profile.callId.mint(item.entry, ordinal), rules, note),
        ),
      };
  }
}

function fitContent(
  parts: readonly ContentPart[],
  place: keyof PartPlaces,
  rules: FitRules,
  empty: string,
  note: Note,
): ContentPart[] {
  const fitted: ContentPart[] = [];
  for (const part of parts) {
    const fit = fitPart(part, place, rules, note);
    if (fit.type === 'text' && isBlank(fit.text)) {
      if (parts.length > 1) note('blank_text', 'white space only');
    } else fitted.push(fit);
  }
  if (fitted.length > 0) return fitted;
  note('empty_content', `shows ${empty}`);
  return [{ type: 'text', text: empty }];
}

function fitPart(part: ContentPart, place: keyof PartPlaces, rules: FitRules, note: Note): ContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: fitText(part.text, note) };
    case 'image':
      return takesImage(part, place, rules) ? fitSource(part, note) : described(describePart('image', part), note);
    case 'document':
      return takesDocument(part, place, rules)
        ? fitSource(part, note)
        : described(describePart('document', part), note);
    case 'other': {
      const known = knownPart(part.raw);
      return known === null
        ? described(JSON.stringify(wellFormedJson(part.raw)), note)
        : fitPart(known, place, rules, note);
    }
  }
}

function described(text: string, note: Note): ContentPart {
  note('part_described', 'the format does not take this part here');
  return { type: 'text', text: wellFormed(text) };
}

function fitSource<P extends Extract<ContentPart, { type: 'image' | 'document' }>>(part: P, note: Note): P {
  return {
    ...part,
    ...(part.name === undefined ? {} : { name: fitText(part.name, note) }),
    ...(part.url === undefined ? {} : { url: fitText(part.url, note) }),
  };
}

function fitText(text: string, note: Note): string {
  if (isWellFormed(text)) return text;
  note('malformed_text', 'lone surrogates or NUL were replaced');
  return wellFormed(text);
}

function fitName(name: string, rules: FitRules, note: Note): string {
  const fitted = fitToolName(name, rules.profile);
  if (fitted !== name) note('call_name', `the call's name became ${fitted}`);
  return fitted;
}

/** The provider's own id repeats between turns and may break another format's charset: ids are ours alone, so one that was sent stays. */
function fitCall(call: ToolCall, id: string, rules: FitRules, note: Note): ToolCall {
  const name = fitName(call.name, rules, note);
  const fitted = fitArguments(call.arguments);
  if (fitted !== call.arguments) note('arguments', `arguments of ${name} became an object of well-formed text`);
  return { id, name, arguments: fitted };
}

function fitAnswer(
  parts: readonly AssistantPart[],
  model: string,
  hasCalls: boolean,
  rules: FitRules,
  note: Note,
): AssistantPart[] {
  const said: AssistantPart[] = [];
  const reasoning: AssistantPart[] = [];
  let isFirst = true;
  for (const part of parts) {
    if (isReasoning(part)) {
      const why = whyDropped(part, model, rules);
      if (why !== null) note('reasoning_dropped', why);
      else {
        if (said.length > 0 && isFirst) note('reasoning_first', 'reasoning stood behind text');
        isFirst = said.length === 0;
        reasoning.push(part);
      }
      continue;
    }
    const text = part.type === 'text' ? fitText(part.text, note) : wellFormed(describeAnswerPart(part));
    if (part.type !== 'text') note('part_described', 'answers hold text and calls only');
    if (isBlank(text)) note('blank_text', 'white space only');
    else said.push({ type: 'text', text });
  }
  if (said.length === 0 && !hasCalls) {
    note('empty_content', `shows ${EMPTY_MESSAGE}`);
    said.push({ type: 'text', text: EMPTY_MESSAGE });
  }
  return [...reasoning, ...said];
}

type Reasoning = Extract<AssistantPart, { type: 'thinking' | 'redacted_thinking' | 'opaque' }>;

export function isReasoning(part: AssistantPart | ContentPart): part is Reasoning {
  return part.type === 'thinking' || part.type === 'redacted_thinking' || part.type === 'opaque';
}

/** Reasoning is kept as it came or not at all: a changed block breaks its signature. Null: it stays. */
function whyDropped(part: Reasoning, model: string, rules: FitRules): string | null {
  if (rules.profile.reasoning === 'none') return 'the format takes no reasoning back';
  if (model !== rules.modelId) return `it belongs to ${model}`;
  switch (part.type) {
    case 'thinking':
      if (part.signature === undefined || part.signature === '') return 'it is not signed';
      return isBlank(part.text) || !isWellFormed(part.text + part.signature) ? 'it is empty or malformed' : null;
    case 'redacted_thinking':
      return part.data === '' || !isWellFormed(part.data) ? 'it is empty or malformed' : null;
    case 'opaque':
      return `it is an item of ${part.provider}`;
  }
}
