import { wellFormed } from '#libs/context';

/** Shorter texts would be found inside of ordinary base64. */
const MIN_CHARS_INSIDE_BASE64 = 8;

/** How a secret may stand in a text: as it is, in an address, in JSON, as hex, as base64 alone or with something around it. */
export function secretForms(value: string): string[] {
  const bytes = Buffer.from(value);
  const base64 = bytes.toString('base64');
  const inside = value.length < MIN_CHARS_INSIDE_BASE64 ? [] : [0, 1, 2].map((shift) => insideBase64(bytes, shift));
  const encoded = [base64, base64.replace(/=+$/, ''), ...inside];
  return [
    ...new Set([
      value,
      encodeURIComponent(wellFormed(value)),
      JSON.stringify(value).slice(1, -1),
      bytes.toString('hex'),
      ...encoded,
      ...encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ]),
  ];
}

/** What base64 makes of the bytes when `shift` others (modulo 3) stand before them, without the chars shared with neighbours. */
function insideBase64(bytes: Buffer, shift: number): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
  return text.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + bytes.length) * 8) / 6));
}
