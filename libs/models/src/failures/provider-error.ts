import { z } from 'zod';

/** A provider's error as read: its type, code and status words, and all its text for matching. */
export type ProviderError = { names: string[]; message: string; text: string };

const word = z.union([z.string(), z.number()]).nullish().catch(null);
const errorBody = z.object({ type: word, code: word, status: word, message: z.string().nullish().catch(null) });
/** `{error: {…}}` (OpenAI, Anthropic), `{error: "…"}` (Ollama), `{message}` or `{detail}` (others), or the error itself. */
const envelope = z.object({
  error: z.union([errorBody, z.string()]).nullish().catch(null),
  detail: z.string().nullish().catch(null),
  message: z.string().nullish().catch(null),
});

/** Reads an error of any provider; what is no JSON counts as its message. */
export function readProviderError(body: unknown): ProviderError {
  if (typeof body === 'string') return readText(body);
  const outer = envelope.safeParse(body);
  const inner = outer.success && outer.data.error !== null && outer.data.error !== undefined ? outer.data.error : body;
  if (typeof inner === 'string') return { names: [], message: inner, text: inner };
  const parsed = errorBody.safeParse(inner);
  const { type, code, status, message } = parsed.success
    ? parsed.data
    : { type: null, code: null, status: null, message: null };
  const names = [type, code, status].filter((name) => name !== null && name !== undefined).map(String);
  const said = message ?? (outer.success ? (outer.data.message ?? outer.data.detail) : null) ?? '';
  return { names, message: said, text: `${names.join(' ')} ${said}` };
}

function readText(text: string): ProviderError {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return readProviderError(value);
  } catch {
    // A page of a proxy, or plain text: used as it is.
  }
  return { names: [], message: /<\w+/.test(text) ? '' : text, text };
}
