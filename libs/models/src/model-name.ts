export type ModelName = { connection: string; model: string };

/** `connection:model`; the model's part may hold further colons (`openai:ft:gpt-4.1:acme`). Null when it is not such a name. */
export function parseModelName(name: string): ModelName | null {
  const colon = name.indexOf(':');
  if (colon < 1 || colon === name.length - 1 || /\s/.test(name)) return null;
  return { connection: name.slice(0, colon), model: name.slice(colon + 1) };
}
