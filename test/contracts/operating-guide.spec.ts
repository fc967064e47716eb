import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { pipelineFacts } from '../../apps/runtime/src/pipeline-facts.js';
import { parsePipeline } from '../../libs/domain/src/index.js';
import { celExpressions } from '../../libs/expressions/src/index.js';
import { parseEnvironment, parseOperatorFile, resolveSettings } from '../../libs/platform/src/index.js';

const guide = readFileSync(new URL('../../docs/guide/operating.md', import.meta.url), 'utf8');
const samples = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

describe('the samples of the guide for operators', () => {
  const file = samples.find((sample) => sample.startsWith('connections:')) ?? '';
  const pipeline = samples.find((sample) => sample.startsWith('name:')) ?? '';

  it('are a weir.yml that is accepted, and a pipeline that it allows', () => {
    const settings = resolveSettings(parseEnvironment({}), parseOperatorFile(file, 'weir.yml'), {});
    expect([...settings.mcpServers.keys()]).toEqual(['files']);
    expect(settings.connections.get('openai')?.limits.requestsPerMinute).toBe(500);
    const parsed = parsePipeline(parse(pipeline), pipelineFacts(settings, celExpressions()));
    expect(parsed).toMatchObject({ ok: true });
  });
});
