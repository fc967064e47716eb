import { createHash } from 'node:crypto';

/**
 * OpenAI's `prompt_cache_key` of a view: at most 64 chars are allowed, and ids of streams stay here. Only for OpenAI's and
 * Azure's own hosts (`baseUrl` null: OpenAI's): compatible servers may refuse a field that they do not know.
 */
export function promptCacheKey(baseUrl: string | null, view: string): string | undefined {
  const isOwnApi = baseUrl === null || /\.(?:openai|azure)\.com$/.test(new URL(baseUrl).hostname);
  return isOwnApi ? `weir-${createHash('sha256').update(view).digest('hex').slice(0, 32)}` : undefined;
}
