import type { JsonObject } from '#libs/domain';

type Generate = (request: unknown, options: unknown) => Promise<unknown>;
type WithClient = { client: { generateContent: Generate } };

/**
 * `@langchain/google-genai` sends each result as a turn of its own, and Gemini wants as many responses in a turn as the turn
 * before has calls (github.com/google-gemini/gemini-cli/issues/3814): what it hands to Google's client is joined here.
 */
export function groupResults(model: object): void {
  if (!hasClient(model)) return;
  const { client } = model;
  const generate = client.generateContent.bind(client);
  client.generateContent = (request, options) => generate(withJoinedTurns(request), options);
}

const hasClient = (model: object): model is WithClient =>
  'client' in model &&
  typeof model.client === 'object' &&
  model.client !== null &&
  'generateContent' in model.client &&
  typeof model.client.generateContent === 'function';

/** The request with neighbouring turns of function responses as one; anything else is answered as it is. */
export function withJoinedTurns(request: unknown): unknown {
  if (typeof request !== 'object' || request === null || !('contents' in request)) return request;
  const { contents } = request;
  if (!Array.isArray(contents)) return request;
  const joined: unknown[] = [];
  for (const turn of contents) {
    const responses = responsesOf(turn);
    const last = joined.at(-1);
    const before = last === undefined ? null : responsesOf(last);
    if (responses !== null && before !== null)
      joined[joined.length - 1] = { role: 'user', parts: [...before, ...responses] };
    else joined.push(turn);
  }
  return { ...request, contents: joined };
}

/** The parts of a turn that is function responses alone, else null. */
function responsesOf(turn: unknown): JsonObject[] | null {
  if (typeof turn !== 'object' || turn === null || !('parts' in turn) || !Array.isArray(turn.parts)) return null;
  const parts: unknown[] = turn.parts;
  const responses = parts.filter((part): part is JsonObject => isPart(part) && part['functionResponse'] !== undefined);
  return responses.length > 0 && responses.length === parts.length ? responses : null;
}

const isPart = (part: unknown): part is JsonObject => typeof part === 'object' && part !== null && !Array.isArray(part);
