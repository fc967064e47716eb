import type { ContentPart } from '#libs/domain';
import type { ApiFormat, NeutralMessage, NeutralRequest } from '../neutral.js';
import { hasOnlyWellFormed, parseArguments, stringsOf } from './call-arguments.js';
import { takesDocument, takesImage } from './describe-part.js';
import { isReasoning } from './fit-item.js';
import { formatProfile, type FormatProfile } from './formats.js';
import { isLarge, isMedia, mediaChars } from './limit-media.js';
import { lintReasoning } from './lint-reasoning.js';
import { hasFittingName } from './tool-name.js';
import type { LintOptions, LintRule, Violation } from './violation.js';
import { isBlank, isWellFormed } from './well-formed.js';

type Report = (rule: LintRule, index: number | null, detail: string) => void;

/** What a provider of this format would refuse in the request. Nothing of it is repaired here, and nothing is trusted. */
export function lint(request: NeutralRequest, format: ApiFormat, options: LintOptions = {}): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (rule, index, detail) => void violations.push({ rule, index, detail });
  const profile = formatProfile(format);
  lintTools(request, profile, report);
  lintRoles(request.messages, profile, report);
  lintPairs(request.messages, report);
  lintCalls(request.messages, profile, report);
  lintMedia(request.messages, profile, report);
  request.messages.forEach((message, index) => lintContent(message, index, profile, options, report));
  lintReasoning(request.messages, profile, options, (index, detail) => report('reasoning', index, detail));
  return violations;
}

function lintTools(request: NeutralRequest, profile: FormatProfile, report: Report): void {
  if (request.system !== null && isBlank(request.system)) report('empty_content', null, 'the system prompt is blank');
  if (request.system !== null && !isWellFormed(request.system)) report('malformed_text', null, 'system prompt');
  if (request.tools.length > profile.maxTools)
    report('tool_count', null, `${request.tools.length} tools, at most ${profile.maxTools}`);
  const seen = new Set<string>();
  for (const tool of request.tools) {
    if (!hasFittingName(tool.name, profile)) report('tool_name', null, `tool ${JSON.stringify(tool.name)}`);
    if (seen.has(tool.name)) report('tool_name', null, `two tools are called ${JSON.stringify(tool.name)}`);
    seen.add(tool.name);
    if (![tool.description, ...stringsOf(tool.parameters)].every(isWellFormed))
      report('malformed_text', null, `tool ${JSON.stringify(tool.name)}`);
  }
}

function lintRoles(messages: readonly NeutralMessage[], profile: FormatProfile, report: Report): void {
  const roles: readonly string[] = messages.map((message) => message.role);
  roles.forEach((role, index) => {
    if (role !== 'user' && role !== 'assistant' && role !== 'tool')
      report('system_role', index, `role ${JSON.stringify(role)}: only the agent's own prompt is system`);
  });
  if (roles[0] !== 'user') report('first_role', 0, `the first message is ${roles[0] ?? 'missing'}`);
  const last = roles.at(-1);
  if (last !== 'user' && last !== 'tool')
    report('last_role', messages.length - 1, `the last message is ${last ?? 'missing'}`);
  if (profile.alternation === 'free') return;
  roles.forEach((role, index) => {
    const before = roles[index - 1];
    if (role !== 'tool' && role === before) report('alternation', index, `${role} after ${role}`);
    if (profile.alternation === 'strict' && role === 'user' && before === 'tool')
      report('alternation', index, 'user after tool');
  });
}

/** Each call has exactly one result, directly behind its message; no result stands elsewhere. */
function lintPairs(messages: readonly NeutralMessage[], report: Report): void {
  let open: { index: number; ids: string[] } = { index: -1, ids: [] };
  const close = (): void => open.ids.forEach((id) => report('call_without_result', open.index, `call ${id}`));
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      const at = open.ids.indexOf(message.tool_call_id);
      if (at === -1) report('result_without_call', index, `result of ${message.tool_call_id}`);
      else open.ids.splice(at, 1);
      return;
    }
    close();
    open = { index, ids: message.role === 'assistant' ? message.tool_calls.map((call) => call.id) : [] };
  });
  close();
}

function lintCalls(messages: readonly NeutralMessage[], profile: FormatProfile, report: Report): void {
  const seen = new Set<string>();
  messages.forEach((message, index) => {
    if (message.role !== 'assistant') return;
    const limit = profile.maxCallsPerMessage;
    if (limit !== null && message.tool_calls.length > limit)
      report('call_count', index, `${message.tool_calls.length} calls, at most ${limit}`);
    for (const call of message.tool_calls) {
      if (!profile.callId.pattern.test(call.id) || call.id.length > profile.callId.maxLength)
        report('call_id', index, `call id ${JSON.stringify(call.id)}`);
      if (seen.has(call.id)) report('repeated_call_id', index, `call id ${call.id}`);
      seen.add(call.id);
      if (!hasFittingName(call.name, profile)) report('call_name', index, `call of ${JSON.stringify(call.name)}`);
      const value = parseArguments(call.arguments);
      if (value === null) report('arguments', index, `arguments of ${call.id} are no JSON object`);
      else if (!isWellFormed(call.arguments) || !hasOnlyWellFormed(call.arguments, value))
        report('malformed_text', index, `arguments of ${call.id}`);
    }
  });
}

function lintMedia(messages: readonly NeutralMessage[], { maxMedia, imageSide }: FormatProfile, report: Report): void {
  const media = messages.flatMap((message) => [...message.content].filter(isMedia));
  const images = media.filter((part) => part.type === 'image');
  const over = (count: number, most: number, what: string): void => {
    if (count > most) report('media_limit', null, `${count} ${what}, at most ${most}`);
  };
  over(media.length, maxMedia.count, 'images and documents');
  over(images.length, maxMedia.images, 'images');
  over(media.length - images.length, maxMedia.documents, 'documents');
  over(
    media.reduce((sum, part) => sum + mediaChars(part), 0),
    maxMedia.chars,
    'chars of images and documents',
  );
  if (imageSide === null || images.length <= imageSide.crowded.from) return;
  const { from, max } = imageSide.crowded;
  if (images.some((part) => isLarge(part, imageSide.crowded)))
    report('media_limit', null, `an image of more than ${max} px among more than ${from}`);
}

function lintContent(
  message: NeutralMessage,
  index: number,
  profile: FormatProfile,
  options: LintOptions,
  report: Report,
): void {
  const rules = { profile, images: options.model?.images ?? true, documents: options.model?.documents ?? true };
  const isBare = message.role !== 'assistant' || message.tool_calls.length === 0;
  if (isBare && !message.content.some((part) => !isReasoning(part)))
    report('empty_content', index, `${message.role} message without content`);
  for (const part of message.content) {
    if (part.type === 'text') {
      if (isBlank(part.text)) report('empty_content', index, 'blank text');
      if (!isWellFormed(part.text)) report('malformed_text', index, 'text');
    } else if (!isReasoning(part) && !isTaken(part, message.role, rules))
      report('unsupported_part', index, `${part.type} in a ${message.role} message`);
  }
  const parts: readonly { type: string }[] = message.content;
  if (
    profile.documentsNeedText &&
    parts.some(({ type }) => type === 'document') &&
    !parts.some(({ type }) => type === 'text')
  )
    report('unsupported_part', index, 'a document without a text beside it');
  if (message.role === 'tool' && !hasFittingName(message.name, profile))
    report('call_name', index, `result of ${JSON.stringify(message.name)}`);
}

function isTaken(
  part: Exclude<ContentPart, { type: 'text' }>,
  role: NeutralMessage['role'],
  rules: Parameters<typeof takesImage>[2],
): boolean {
  if (role === 'assistant' || part.type === 'other') return false;
  return part.type === 'image' ? takesImage(part, role, rules) : takesDocument(part, role, rules);
}
