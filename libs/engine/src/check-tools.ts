import { formatProfile, type ApiFormat } from '#libs/context';
import type { PipelineDefinition, PipelineFault } from '#libs/domain';
import { agentPlaces, modelsOf, type CheckDeps } from './agent-places.js';

/** What the providers of an agent's models refuse of its tools, names and how many, by the form of their requests. Each said once. */
export function toolFaults(deps: CheckDeps, definition: PipelineDefinition): PipelineFault[] {
  const faults = agentPlaces(definition).flatMap(({ effective }) => {
    const { agent } = effective;
    if (agent === null) return [];
    return modelsOf(deps, effective).flatMap((model) => {
      const found = deps.models.facts(model);
      return found.ok ? faultsOf(`agents.${agent.name}.tools`, agent.tools, model, found.facts.apiFormat) : [];
    });
  });
  return [...new Map(faults.map((fault) => [`${fault.path} ${fault.code}`, fault])).values()];
}

function faultsOf(path: string, tools: readonly string[], model: string, format: ApiFormat): PipelineFault[] {
  const { maxTools, toolName } = formatProfile(format);
  const names = tools.flatMap((name, index): PipelineFault[] => {
    if (toolName.pattern.test(name) && name.length <= toolName.maxLength) return [];
    const at = `${path}[${index}]`;
    const detail = `${at}: ${model} (${format}) takes no tool named ${name}: names are ${toolName.words}; rename it`;
    return [{ path: at, code: 'tool_name_refused', found: name, expected: toolName.words, detail }];
  });
  if (tools.length <= maxTools) return names;
  const expected = `at most ${maxTools}`;
  const detail = `${path}: ${model} (${format}) takes ${expected} tools in a request, found ${tools.length}; give some of them to another agent`;
  return [...names, { path, code: 'too_many_tools', found: String(tools.length), expected, detail }];
}
