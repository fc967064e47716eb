const CONTROL = /\p{Cc}+/gu;

/** One line of at most `chars` code points, without control characters (a model's text must not steer a terminal). */
export function excerpt(text: string, chars: number): string {
  const line = [
    ...text
      .slice(0, chars * 4)
      .replace(CONTROL, ' ')
      .trim(),
  ];
  return line.length <= chars && text.length <= chars * 4 ? line.join('') : `${line.slice(0, chars - 1).join('')}…`;
}

/** Text of many lines, without what steers a terminal. */
export const printable = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '�');

/** A value as people read it: text as it is, the rest as JSON. */
export function readable(value: unknown): string {
  return typeof value === 'string' ? printable(value) : JSON.stringify(value, null, 2);
}
