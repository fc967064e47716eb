import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { pipelineFacts } from '../../apps/runtime/src/pipeline-facts.js';
import { parsePipeline } from '../../libs/domain/src/index.js';
import { celExpressions } from '../../libs/expressions/src/index.js';
import { createModels } from '../../libs/models/src/index.js';
import { parseEnvironment, parseOperatorFile, resolveSettings } from '../../libs/platform/src/index.js';

const samplesOf = (page: string): string[] => {
  const guide = readFileSync(new URL(`../../docs/guide/${page}.md`, import.meta.url), 'utf8');
  return [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
};
const samples = samplesOf('operating');

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

describe('the sample of the guide to models', () => {
  it('is a weir.yml whose models speak the forms that it names', () => {
    const keys = { OPENAI_API_KEY: 'k-1', ANTHROPIC_API_KEY: 'k-2', GOOGLE_API_KEY: 'k-3' };
    const [file = ''] = samplesOf('models');
    const operator = parseOperatorFile(file, 'weir.yml');
    const { connections } = resolveSettings(parseEnvironment(keys), operator, keys);
    const models = createModels({ connections, overrides: operator.models });
    const formOf = (model: string) => {
      const facts = models.facts(model);
      return facts.ok ? facts.facts.apiFormat : facts.detail;
    };
    expect(
      [...Object.keys(operator.models), 'openai:gpt-4.1', 'anthropic:x', 'google:gemini-2.5-pro'].map(formOf),
    ).toEqual(['openai_responses', 'bedrock', 'openai_chat', 'anthropic_thinking', 'gemini']);
  });
});
