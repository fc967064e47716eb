// A global looked up for each character is slow where tests run in a context of their own.
const { imul } = Math;

/**
 * A short name of a text, for telling equal from changed between two builds of one stream: two 32-bit multiplicative hashes
 * side by side. Not a digest; hashes that prove anything are the engine's.
 */
export function textKey(text: string): string {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = imul(high ^ unit, 2654435761);
    low = imul(low ^ unit, 1597334677);
  }
  return hex(high ^ (low >>> 15)) + hex(low ^ (high >>> 13));
}

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');
