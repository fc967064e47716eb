import { readJson, type Content, type Json } from '#libs/domain';

/** A tool step's output: JSON where the result is JSON text of an object or list, else the text, else the parts. */
export function outputOf(content: Content): Json {
  if (typeof content !== 'string') {
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    return texts.length === content.length ? outputOf(texts.join('\n')) : content.map((part) => ({ ...part }));
  }
  if (!/^\s*[[{]/.test(content)) return content;
  try {
    return readJson(content);
  } catch {
    // Text that only begins like JSON is text.
    return content;
  }
}
