import type { AssistantPart, ContentPart, JsonObject } from '#libs/domain';
import type { NeutralMessage, NeutralRequest, ToolDeclaration } from '../../neutral.js';
import { readReasoningItem } from '../reasoning-forms.js';
import { sourceUrl } from './openai-chat.js';
import type { WireBody } from './wire-body.js';

type Answer = Extract<NeutralMessage, { role: 'assistant' }>;

/**
 * OpenAI Responses (developers.openai.com/api/reference/resources/responses/methods/create): `messages` is `input`, `system`
 * is `instructions`. Nothing is stored there, so items have no ids of their own but those inside encrypted reasoning.
 */
export function openaiResponsesBody(request: NeutralRequest): WireBody {
  return {
    system: request.system,
    messages: request.messages.flatMap(itemsOf),
    tools: request.tools.map(responsesTool),
  };
}

function itemsOf(message: NeutralMessage): JsonObject[] {
  switch (message.role) {
    case 'user':
      return [{ type: 'message', role: 'user', content: message.content.map(inputPart) }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.tool_call_id, output: outputOf(message.content) }];
    case 'assistant':
      return answerItems(message);
  }
}

/** Text alone goes as a string. */
function outputOf(parts: readonly ContentPart[]): string | JsonObject[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts.map(inputPart);
}

/** In the order in which the model gave them: an item of reasoning stands in front of what it led to. */
function answerItems({ content, tool_calls: calls }: Answer): JsonObject[] {
  const items: JsonObject[] = [];
  const later: { item: JsonObject; calls_before: number }[] = [];
  let said: JsonObject[] = [];
  const close = (): void => {
    if (said.length > 0) items.push({ type: 'message', role: 'assistant', content: said });
    said = [];
  };
  for (const part of content) {
    const reasoning = readReasoningItem(part);
    if (reasoning === null) said.push(outputPart(part));
    else if (reasoning.calls_before > 0) later.push(reasoning);
    else {
      close();
      items.push(reasoning.item);
    }
  }
  close();
  calls.forEach(({ id, name, arguments: given }, at) => {
    items.push(...later.filter((reasoning) => reasoning.calls_before === at).map(({ item }) => item));
    items.push({ type: 'function_call', call_id: id, name, arguments: given });
  });
  return items;
}

const outputPart = (part: AssistantPart): JsonObject => ({
  type: 'output_text',
  text: part.type === 'text' ? part.text : JSON.stringify(part),
  annotations: [],
});

function inputPart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return { type: 'input_image', detail: 'auto', image_url: sourceUrl(part) };
    case 'document':
      return part.data === undefined || part.data === ''
        ? { type: 'input_file', file_url: part.url ?? '' }
        : { type: 'input_file', filename: part.name ?? 'document.pdf', file_data: sourceUrl(part) };
    case 'other':
      return { type: 'input_text', text: JSON.stringify(part.raw) };
  }
}

/** Here tools are strict unless they say otherwise, which few schemas can be. */
const responsesTool = ({ name, description, parameters }: ToolDeclaration): JsonObject => ({
  type: 'function',
  name,
  ...(description === '' ? {} : { description }),
  parameters,
  strict: false,
});
