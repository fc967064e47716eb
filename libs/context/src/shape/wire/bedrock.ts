import type { AssistantPart, ContentPart, JsonObject } from '#libs/domain';
import type { NeutralMessage, NeutralRequest, ToolDeclaration } from '../../neutral.js';
import { parseArguments } from '../call-arguments.js';
import type { WireBody } from './wire-body.js';

type Turn = { role: 'user' | 'assistant'; content: JsonObject[] };
/** Counts the documents of a request: their names must differ. */
type Names = { documents: number };

/**
 * Amazon Bedrock Converse (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html): `system` is the text
 * of the one system block, `tools` are those of `toolConfig`. Bytes are base64, as in the HTTP body.
 */
export function bedrockBody(request: NeutralRequest): WireBody {
  const turns: Turn[] = [];
  const names: Names = { documents: 0 };
  for (const message of request.messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message, names);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  return {
    system: request.system,
    messages: turns.map(({ role, content }) => ({ role, content })),
    tools: declaredTools(request).map(bedrockTool),
  };
}

/** Converse wants tools declared when the history has calls, also where the agent has none left. */
export function declaredTools({ tools, messages }: NeutralRequest): readonly ToolDeclaration[] {
  if (tools.length > 0) return tools;
  const called = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? message.tool_calls.map(({ name }) => name) : [])),
  );
  return [...called].sort().map((name) => ({ name, description: 'Not available any more.', parameters: {} }));
}

function blocksOf(message: NeutralMessage, names: Names): JsonObject[] {
  switch (message.role) {
    case 'user':
      return message.content.map((part) => contentBlock(part, names));
    case 'tool':
      return [
        {
          toolResult: {
            toolUseId: message.tool_call_id,
            content: message.content.map((part) => contentBlock(part, names)),
            ...(message.status === 'ok' ? {} : { status: 'error' }),
          },
        },
      ];
    case 'assistant':
      return [
        ...message.content.map(answerBlock),
        ...message.tool_calls.map(({ id, name, arguments: given }) => ({
          toolUse: { toolUseId: id, name, input: parseArguments(given) ?? {} },
        })),
      ];
  }
}

function contentBlock(part: ContentPart, names: Names): JsonObject {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'image':
      return { image: { format: formatOf(part.media_type), source: { bytes: part.data ?? '' } } };
    case 'document':
      names.documents += 1;
      return {
        document: {
          format: formatOf(part.media_type),
          name: documentName(part.name, names.documents),
          source: { bytes: part.data ?? '' },
        },
      };
    case 'other':
      return { text: JSON.stringify(part.raw) };
  }
}

/** `image/png` → `png`. */
const formatOf = (mediaType = ''): string => mediaType.slice(mediaType.indexOf('/') + 1);

/** Letters, digits, single spaces, hyphens, round and square brackets are allowed, 200 at most; two of a name are not. */
export function documentName(name: string | undefined, nth: number): string {
  const plain = (name ?? '')
    .replace(/[^a-zA-Z0-9\s\-()[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 150);
  return `${plain === '' ? 'document' : plain} ${nth}`;
}

function answerBlock(part: AssistantPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: part.text, signature: part.signature ?? '' } } };
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: part.data } };
    case 'image':
    case 'other':
    case 'opaque':
      return { text: JSON.stringify(part) };
  }
}

const bedrockTool = ({ name, description, parameters }: ToolDeclaration): JsonObject => ({
  toolSpec: {
    name,
    ...(description === '' ? {} : { description }),
    inputSchema: { json: { type: 'object', ...parameters } },
  },
});
