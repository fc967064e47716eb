const FENCE = '```';

/**
 * Models like to wrap JSON in a Markdown fence. Without a pattern: one would go back and forth over a model's text, which
 * can be a hundred thousand line ends when it has lost its way.
 */
export function withoutFence(text: string): string {
  const fenced = text.trim();
  if (fenced.length < 2 * FENCE.length || !fenced.startsWith(FENCE) || !fenced.endsWith(FENCE)) return text;
  const inner = fenced.slice(FENCE.length, -FENCE.length);
  const lineEnd = inner.indexOf('\n');
  const language = inner.slice(0, Math.max(0, lineEnd)).trim();
  return lineEnd >= 0 && (language === '' || language === 'json') ? inner.slice(lineEnd).trim() : text;
}
