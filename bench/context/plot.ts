/** One line of a plot: a value for each call. */
export type Series = { label: string; colour: string; values: readonly number[] };
export type Plot = { title: string; yLabel: string; series: readonly Series[] };

const WIDTH = 760;
const HEIGHT = 360;
const LEFT = 70;
const RIGHT = 190;
const TOP = 40;
const BOTTOM = 44;
const INNER_WIDTH = WIDTH - LEFT - RIGHT;
const INNER_HEIGHT = HEIGHT - TOP - BOTTOM;
const TICKS = 5;

/** A line chart as SVG text, readable on light and dark pages. */
export function plotSvg({ title, yLabel, series }: Plot): string {
  const calls = Math.max(1, ...series.map(({ values }) => values.length));
  const top = niceTop(Math.max(1, ...series.flatMap(({ values }) => values)));
  const x = (call: number): number => LEFT + (INNER_WIDTH * call) / Math.max(1, calls - 1);
  const y = (value: number): number => TOP + INNER_HEIGHT * (1 - value / top);
  const lines = series.map(({ colour, values }) => {
    const points = values.map((value, call) => `${round(x(call))},${round(y(value))}`).join(' ');
    return `<polyline fill="none" stroke="${colour}" stroke-width="1.6" stroke-linejoin="round" points="${points}"/>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="22" font-size="14" font-weight="600" fill="#222222">${escaped(title)}</text>`,
    ...axes(top, calls, y, x),
    `<text x="${LEFT}" y="${HEIGHT - 8}" fill="#555555">model call</text>`,
    `<text x="14" y="${TOP + INNER_HEIGHT / 2}" fill="#555555" transform="rotate(-90 14 ${TOP + INNER_HEIGHT / 2})" text-anchor="middle">${escaped(yLabel)}</text>`,
    ...lines,
    ...legend(series),
    '</svg>\n',
  ].join('\n');
}

function axes(top: number, calls: number, y: (value: number) => number, x: (call: number) => number): string[] {
  const rows = Array.from({ length: TICKS + 1 }, (_, tick) => (top * tick) / TICKS);
  const columns = Array.from({ length: TICKS + 1 }, (_, tick) => Math.round(((calls - 1) * tick) / TICKS));
  return [
    ...rows.flatMap((value) => [
      `<line x1="${LEFT}" x2="${LEFT + INNER_WIDTH}" y1="${round(y(value))}" y2="${round(y(value))}" stroke="#e3e3e3"/>`,
      `<text x="${LEFT - 8}" y="${round(y(value) + 4)}" text-anchor="end" fill="#555555">${short(value)}</text>`,
    ]),
    ...columns.map(
      (call) =>
        `<text x="${round(x(call))}" y="${TOP + INNER_HEIGHT + 18}" text-anchor="middle" fill="#555555">${call + 1}</text>`,
    ),
  ];
}

function legend(series: readonly Series[]): string[] {
  return series.flatMap(({ label, colour }, at) => {
    const y = TOP + 10 + 20 * at;
    const x = LEFT + INNER_WIDTH + 16;
    return [
      `<line x1="${x}" x2="${x + 22}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="3"/>`,
      `<text x="${x + 28}" y="${y + 4}" fill="#222222">${escaped(label)}</text>`,
    ];
  });
}

/** 1, 2 or 5 times a power of ten, at or above the value. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

function short(value: number): string {
  if (value >= 1_000_000) return `${round(value / 1_000_000)}M`;
  return value >= 1_000 ? `${round(value / 1_000)}k` : String(round(value));
}

const round = (value: number): number => Math.round(value * 10) / 10;
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
