/** Columns of text under a line of headings; the last one is as long as it is. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [headings, ...rows];
  const widths = headings.map((_heading, column) => Math.max(...all.map((row) => shownWidth(row[column] ?? ''))));
  return all.map((row) =>
    headings
      .map((_heading, column) => pad(row[column] ?? '', widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Names and what they stand for, values under each other. */
export function facts(pairs: readonly (readonly [name: string, value: string | null])[]): string[] {
  const shown = pairs.filter(([, value]) => value !== null && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value ?? ''}`);
}

const COLOURS = /\u001b\[[0-9;]*m/g;

/** Code points without colours: near enough for ids, numbers and Latin text. */
function shownWidth(text: string): number {
  return [...text.replace(COLOURS, '')].length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - shownWidth(text)));
}
