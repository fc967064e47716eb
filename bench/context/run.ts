// `npm run bench:context`: measures every recorded session of the tests under the policies of this folder and under what else
// there is, and writes `bench/context/report.md` and the plots of the guide. `-- NAME` measures one session and writes nothing.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { transcriptSchema, type Transcript } from '../../libs/context/src/index.js';
import { compareSession, type Session } from './compare.js';
import { fuzzRequests } from './fuzz.js';
import { plotSvg, type Series } from './plot.js';
import { reportMarkdown } from './report.js';

const transcripts = new URL('../../test/fixtures/transcripts/', import.meta.url);
const images = new URL('../../docs/guide/images/', import.meta.url);
const PLOTTED = ['pi-large-session', 'cc-episodic-long', 'zh-toolcall'];
const COLOURS: { readonly [key: string]: string } = { sliding: '#d9822b', auto: '#2f6fde', compaction: '#2a9d4a' };
const FUZZED_STREAMS = 10_000;

async function main(only: string | undefined): Promise<void> {
  const names = readdirSync(transcripts)
    .filter((file) => file.endsWith('.json') && file !== 'manifest.json')
    .map((file) => file.replace('.json', ''))
    .filter((name) => only === undefined || name === only)
    .sort();
  const fuzzes = only === undefined ? [await fuzzRequests('openai_chat', FUZZED_STREAMS)] : [];
  const sessions: Session[] = [];
  for (const name of names) {
    const session = await compareSession(name, read(name));
    sessions.push(session);
    const slowest = Math.max(...session.runs.map(({ played }) => played.maxBuildMs));
    process.stderr.write(`${name}: a build takes ${Math.round(slowest)} ms at most\n`);
  }
  if (only !== undefined) return void process.stdout.write(reportMarkdown(sessions, []));
  mkdirSync(images, { recursive: true });
  for (const session of sessions) if (PLOTTED.includes(session.name)) plot(session);
  writeFileSync(new URL('report.md', import.meta.url), reportMarkdown(sessions, fuzzes));
}

const read = (name: string): Transcript =>
  transcriptSchema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, transcripts), 'utf8')));

function plot({ name, runs }: Session): void {
  const shown = runs.filter(({ policy }) => COLOURS[policy.key] !== undefined);
  const unmanaged = runs[0]?.played.calls.map((call) => call.chars_unmanaged) ?? [];
  const series: Series[] = [
    { label: 'unmanaged', colour: '#8a8a8a', values: unmanaged },
    ...shown.map(({ policy, played }) => ({
      label: policy.label,
      colour: COLOURS[policy.key] ?? '#000000',
      values: played.calls.map(({ chars }) => chars),
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

await main(process.argv[2]);
