import type { AssistantPart, ContentPart, ToolCall } from '#libs/domain';
import type { ShownItem } from '../view/entry.js';
import { fitArguments, stringsOf } from './call-arguments.js';
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
import { readReasoningItem, readThoughtSignature } from './reasoning-forms.js';
import { fitToolName } from './tool-name.js';
import { isBlank, isWellFormed, wellFormed, wellFormedJson } from './well-formed.js';

/** Stands where nothing else of a message is left: providers refuse empty content. */
export const EMPTY_MESSAGE = '[empty message]';
export const EMPTY_RESULT = '[no output]';

export type FitRules = PartRules & { modelId: string };
type Note = (rule: RepairRule, detail: string) => void;

/** One item as the format takes it. Fitting what fits already changes nothing. */
export function fitItem(item: ShownItem, rules: FitRules, repairs: Repair[]): ShownItem {
  const note: Note = (rule, detail) =>
    void repairs.push({ rule, entries: item.entry === null ? [] : [item.entry], detail });
  switch (item.role) {
    case 'user': {
      const content = fitContent(item.content, 'user', rules, EMPTY_MESSAGE, note);
      return content === item.content ? item : { ...item, content };
    }
    case 'tool': {
      const name = fitName(item.name, rules, note);
      const content = fitContent(item.content, 'tool', rules, EMPTY_RESULT, note);
      return content === item.content && name === item.name ? item : { ...item, name, content };
    }
    case 'assistant': {
      const { role, entry, model, state } = item;
      const content = fitAnswer(item.content, model, item.calls.length, rules, note);
      const calls = item.calls.map((call, ordinal) =>
        fitCall(call, rules.profile.callId.mint(entry, ordinal), rules, note),
      );
      return { role, entry, model, content, calls, state };
    }
  }
}

/** Most content is one such text. */
const isFittingText = (part: ContentPart | AssistantPart): boolean =>
  part.type === 'text' && isWellFormed(part.text) && !isBlank(part.text);

function fitContent(
  parts: readonly ContentPart[],
  place: keyof PartPlaces,
  rules: FitRules,
  empty: string,
  note: Note,
): readonly ContentPart[] {
  if (parts.length > 0 && parts.every(isFittingText)) return parts;
  const fitted: ContentPart[] = [];
  for (const part of parts) {
    const fit = fitPart(part, place, rules, note);
    if (fit.type === 'text' && isBlank(fit.text)) {
      if (parts.length > 1) note('blank_text', 'white space only');
    } else fitted.push(fit);
  }
  if (fitted.length === 0) {
    note('empty_content', `shows ${empty}`);
    return [{ type: 'text', text: empty }];
  }
  return rules.profile.documentsNeedText ? withText(fitted) : fitted;
}

/** A document does not stand alone where the format wants a text beside it: its own description is one. */
function withText(parts: ContentPart[]): ContentPart[] {
  const document = parts.find((part) => part.type === 'document');
  if (document === undefined || parts.some((part) => part.type === 'text')) return parts;
  return [{ type: 'text', text: wellFormed(describePart('document', document)) }, ...parts];
}

function fitPart(part: ContentPart, place: keyof PartPlaces, rules: FitRules, note: Note): ContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: fitText(part.text, note) };
    case 'image':
      return places(place).some((at) => takesImage(part, at, rules))
        ? fitSource(part, note)
        : described(describePart('image', part), note);
    case 'document':
      return places(place).some((at) => takesDocument(part, at, rules))
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

/** What a result may not hold but a user message may stays here, and `moveMedia` moves it. */
const places = (place: keyof PartPlaces): (keyof PartPlaces)[] => (place === 'tool' ? ['tool', 'user'] : [place]);

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
  calls: number,
  rules: FitRules,
  note: Note,
): readonly AssistantPart[] {
  if ((parts.length > 0 || calls > 0) && parts.every(isFittingText)) return parts;
  const kept = parts.flatMap((part): AssistantPart[] => {
    if (isReasoning(part)) {
      const why = whyDropped(part, model, calls, rules);
      if (why === null) return [part];
      note('reasoning_dropped', why);
      return [];
    }
    const text = part.type === 'text' ? fitText(part.text, note) : wellFormed(describeAnswerPart(part));
    if (part.type !== 'text') note('part_described', 'answers hold text and calls only');
    if (!isBlank(text)) return [{ type: 'text', text }];
    note('blank_text', 'white space only');
    return [];
  });
  const said = kept.filter((part) => !isReasoning(part));
  if (said.length === 0 && calls === 0) {
    note('empty_content', `shows ${EMPTY_MESSAGE}`);
    kept.push({ type: 'text', text: EMPTY_MESSAGE });
  }
  return placeReasoning(kept, calls, rules, note);
}

function placeReasoning(parts: AssistantPart[], calls: number, rules: FitRules, note: Note): AssistantPart[] {
  if (!parts.some(isReasoning)) return parts;
  switch (rules.profile.reasoning) {
    case 'none':
    case 'thought_signatures':
      return parts;
    case 'encrypted': {
      if (!endsWithReasoning(parts, calls)) return parts;
      note('reasoning_dropped', 'nothing of its answer follows it');
      return parts.filter((part) => !isReasoning(part));
    }
    case 'signed': {
      const first = [...parts.filter(isReasoning), ...parts.filter((part) => !isReasoning(part))];
      if (first.some((part, index) => part !== parts[index])) note('reasoning_first', 'reasoning stood behind text');
      return first;
    }
  }
}

/** Whether an answer's last reasoning item has neither text nor a call behind it. */
export function endsWithReasoning(parts: readonly AssistantPart[], calls: number): boolean {
  const last = parts.findLastIndex(isReasoning);
  const item = last === -1 ? undefined : parts[last];
  if (item === undefined || calls > (readReasoningItem(item)?.calls_before ?? 0)) return false;
  return last === parts.length - 1;
}

type Reasoning = Extract<AssistantPart, { type: 'thinking' | 'redacted_thinking' | 'opaque' }>;

export function isReasoning(part: AssistantPart | ContentPart): part is Reasoning {
  return part.type === 'thinking' || part.type === 'redacted_thinking' || part.type === 'opaque';
}

/** Reasoning is kept as it came or not at all: a changed block breaks its signature. Null: it stays. */
function whyDropped(part: Reasoning, model: string, calls: number, rules: FitRules): string | null {
  if (rules.profile.reasoning === 'none') return 'the format takes no reasoning back';
  if (model !== rules.modelId) return `it belongs to ${model}`;
  switch (rules.profile.reasoning) {
    case 'signed':
      return part.type === 'opaque' ? `it is an item of ${part.provider}` : whyUnsigned(part);
    case 'encrypted': {
      const read = readReasoningItem(part);
      if (read === null) return 'it is no item of OpenAI';
      const { encrypted_content: secret } = read.item;
      if (typeof secret !== 'string' || secret === '') return 'it is not encrypted, and nothing is stored there';
      if (read.calls_before > calls) return 'the calls in front of it are not shown';
      return stringsOf(read.item).every(isWellFormed) ? null : 'it is malformed';
    }
    case 'thought_signatures': {
      if (part.type === 'thinking') return whyUnsigned(part);
      const read = readThoughtSignature(part);
      if (read === null) return 'it is no signature of Google';
      if (read.call !== null && read.call >= calls) return 'its call is not shown';
      return read.thought_signature !== '' && isWellFormed(read.thought_signature) ? null : 'it is empty or malformed';
    }
  }
}

function whyUnsigned(part: Exclude<Reasoning, { type: 'opaque' }>): string | null {
  if (part.type === 'redacted_thinking')
    return part.data === '' || !isWellFormed(part.data) ? 'it is empty or malformed' : null;
  if (part.signature === undefined || part.signature === '') return 'it is not signed';
  return isBlank(part.text) || !isWellFormed(part.text + part.signature) ? 'it is empty or malformed' : null;
}
