// The same escape as in stored-json.ts, for text columns. With the u flag the surrogate range matches lone ones only.
const TO_STORE = /[\u0000\u0010]|[\ud800-\udfff]/gu;
const STORED = /\u0010([0-9a-f]{4})/g;

/** Free text for a text column: NUL and lone surrogates escaped. */
export function toStoredText(text: string): string {
  return text.replace(TO_STORE, (unit) => `\u0010${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function fromStoredText(stored: string): string {
  // Hardly any text has one, and looking for a character is a tenth of looking for a pattern.
  if (!stored.includes('\u0010')) return stored;
  return stored.replace(STORED, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
