import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { pipelineFacts } from '../../apps/runtime/src/pipeline-facts.js';
import { parsePipeline } from '../../libs/domain/src/index.js';
import { celExpressions } from '../../libs/expressions/src/index.js';
import { createModels } from '../../libs/models/src/index.js';
import { parseEnvironment, parseOperatorFile, resolveSettings, type Settings } from '../../libs/platform/src/index.js';

const samplesOf = (page: string): string[] => {
  const guide = readFileSync(new URL(`../../docs/guide/${page}.md`, import.meta.url), 'utf8');
  return [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
};
const settingsOf = (page: string): Settings => {
  const file = samplesOf(page).find((sample) => sample.startsWith('connections:')) ?? '';
  return resolveSettings(parseEnvironment({}), parseOperatorFile(file, 'weir.yml'), {});
};

describe('the samples of the guide for operators', () => {
  it('are a weir.yml that is accepted', () => {
    const settings = settingsOf('operating');
    expect([...settings.mcpServers.keys()]).toEqual(['files']);
    expect(settings.connections.get('openai')?.limits.requestsPerMinute).toBe(500);
  });

  it.each([
    ['tools', 'operating', 2],
    ['model-endpoint', 'model-endpoint', 1],
  ])('are pipelines of %s.md that it allows', (page, settings, count) => {
    const facts = pipelineFacts(settingsOf(settings), celExpressions());
    const pipelines = samplesOf(page).filter((sample) => sample.startsWith('name:'));
    expect(pipelines).toHaveLength(count);
    for (const pipeline of pipelines) expect(parsePipeline(parse(pipeline), facts)).toMatchObject({ ok: true });
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
