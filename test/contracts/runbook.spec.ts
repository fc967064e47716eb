import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitReasonSchema } from '../../libs/domain/src/index.js';

const runbook = fileURLToPath(new URL('../../docs/runbook', import.meta.url));
const pages = readdirSync(runbook).filter((file) => file !== 'README.md');

describe('the runbook', () => {
  it('has a page for each reason for which a run can wait', () => {
    const runsOnly = ['stream_busy', 'cancel_requested', 'dead_letter'];
    expect(pages.sort()).toEqual([...waitReasonSchema.options, ...runsOnly].map((reason) => `${reason}.md`).sort());
  });

  it.each(pages)('%s says where to look and what ends it, and the index leads to it', (page) => {
    const text = readFileSync(join(runbook, page), 'utf8');
    expect(text.split('\n')[0]).toMatch(new RegExp(`^# ${page.replace('.md', '')}: `));
    expect(text).toContain('**Look.**');
    expect(text).toMatch(/\*\*What (ends it|you can do)\.\*\*/);
    expect(readFileSync(join(runbook, 'README.md'), 'utf8')).toContain(`(${page})`);
  });
});
