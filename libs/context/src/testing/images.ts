/** The head of a PNG of that size, as base64: all that a size is read from. */
export function png(width: number, height: number): string {
  const bytes = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
  const number = (value: number): number[] => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
  return toBase64([...bytes, ...number(width), ...number(height)]);
}

export function toBase64(bytes: readonly number[]): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.slice(at, at + 3);
    const bits = (first << 16) | (second << 8) | third;
    const letter = (shift: number): string => letters.charAt((bits >> shift) & 63);
    text +=
      letter(18) + letter(12) + (at + 1 < bytes.length ? letter(6) : '=') + (at + 2 < bytes.length ? letter(0) : '=');
  }
  return text;
}
