import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { pipelineFacts } from '../../apps/runtime/src/pipeline-facts.js';
import { parsePipeline } from '../../libs/domain/src/index.js';
import { celExpressions } from '../../libs/expressions/src/index.js';
import { parseEnvironment, parseOperatorFile, resolveSettings } from '../../libs/platform/src/index.js';

const guide = readFileSync(new URL('../../docs/guide/waiting.md', import.meta.url), 'utf8');

it('the sample of the guide to waiting is a pipeline that is accepted without a note', () => {
  const sample = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const settings = resolveSettings(parseEnvironment({}), parseOperatorFile('', 'weir.yml'), {});
  const parsed = parsePipeline(parse(sample), pipelineFacts(settings, celExpressions()));
  expect(parsed).toMatchObject({ ok: true });
});
