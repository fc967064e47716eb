import { readFileSync } from 'node:fs';
import { celExpressions } from '#libs/expressions';
import { parse } from 'yaml';
import { parsePipeline } from '../parse-pipeline.js';
import type { PipelineDefinition } from '../pipeline-definition.js';
import type { PipelineFacts } from '../pipeline-facts.js';
import { STEP_KINDS } from '../pipeline-step.js';
import { BUILTIN_TOOL_NAMES, TOOL_KINDS } from '../tool-definition.js';

/** An installation that executes everything; its policy check knows one rule. */
export const soundFacts: PipelineFacts = {
  expressions: celExpressions(),
  executableStepKinds: STEP_KINDS,
  executableToolKinds: TOOL_KINDS,
  missingFeatures: [],
  builtinTools: BUILTIN_TOOL_NAMES,
  connections: ['openai', 'anthropic'],
  defaultModel: null,
  plugins: [],
  mcpServers: ['files'],
  checkContextPolicy: (value) =>
    JSON.stringify(value).includes('"soft_cap_chars":0')
      ? [
          {
            path: 'window.soft_cap_chars',
            code: 'out_of_range',
            found: '0',
            expected: 'more than 0',
            detail: 'found 0',
          },
        ]
      : [],
};

/** The definition of a document that must be sound. */
export function definitionOf(document: unknown, overrides: Partial<PipelineFacts> = {}): PipelineDefinition {
  const parsed = parsePipeline(document, { ...soundFacts, ...overrides });
  if (!parsed.ok) throw new Error(parsed.errors.map((error) => error.detail).join('\n'));
  return parsed.definition;
}

/** `path: code` of each fault; empty for a sound document. */
export function faultsOf(document: unknown, overrides: Partial<PipelineFacts> = {}): string[] {
  const parsed = parsePipeline(document, { ...soundFacts, ...overrides });
  return parsed.ok ? [] : parsed.errors.map((error) => `${error.path}: ${error.code}`);
}

export function pipelineFixture(name: string): unknown {
  return parse(readFileSync(`test/fixtures/pipelines/${name}`, 'utf8'));
}
