// `npm run bench:context`: measures every recorded session of the tests under the policies of this folder and writes
// `bench/context/report.md` and the plots of the guide.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { transcriptSchema, type Transcript } from '../../libs/context/src/index.js';
import { measure, type Measured } from './measure.js';
import { plotSvg, type Series } from './plot.js';
import { reportMarkdown, type Session } from './report.js';

const transcripts = new URL('../../test/fixtures/transcripts/', import.meta.url);
const images = new URL('../../docs/guide/images/', import.meta.url);
const PLOTTED = ['pi-large-session', 'cc-episodic-long', 'zh-toolcall'];
const COLOURS: { readonly [key: string]: string } = { sliding: '#d9822b', auto: '#2f6fde', compaction: '#2a9d4a' };

function main(): void {
  mkdirSync(images, { recursive: true });
  const names = readdirSync(transcripts).filter((file) => file.endsWith('.json') && file !== 'manifest.json');
  const sessions = names.sort().map((file): Session => {
    const name = file.replace('.json', '');
    const measured = measure(read(file));
    process.stderr.write(
      `${name}: ${measured.map(({ maxBuildMs }) => Math.round(maxBuildMs)).join(', ')} ms at most\n`,
    );
    if (PLOTTED.includes(name)) plot(name, measured);
    return { name, measured };
  });
  writeFileSync(new URL('report.md', import.meta.url), reportMarkdown(sessions));
}

const read = (file: string): Transcript =>
  transcriptSchema.parse(JSON.parse(readFileSync(new URL(file, transcripts), 'utf8')));

function plot(name: string, measured: readonly Measured[]): void {
  const shown = measured.filter(({ policy }) => COLOURS[policy.key] !== undefined);
  const unmanaged = measured[0]?.calls.map((call) => call.chars_unmanaged) ?? [];
  const series: Series[] = [
    { label: 'unmanaged', colour: '#8a8a8a', values: unmanaged },
    ...shown.map(({ policy, calls }) => ({
      label: policy.label,
      colour: COLOURS[policy.key] ?? '#000000',
      values: calls.map(({ chars }) => chars),
    })),
  ];
  const title = `Chars sent in each call: ${name}`;
  writeFileSync(new URL(`chars-${name}.svg`, images), plotSvg({ title, yLabel: 'chars', series }));
  const sums = series.map((one) => ({ ...one, values: summed(one.values) }));
  writeFileSync(
    new URL(`sum-${name}.svg`, images),
    plotSvg({ title: `Chars sent so far: ${name}`, yLabel: 'chars', series: sums }),
  );
}

function summed(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => (sum += value));
}

main();
