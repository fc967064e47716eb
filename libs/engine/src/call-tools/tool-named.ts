import { fitToolName, formatProfile } from '#libs/context';
import type { AgentPlan, AgentTool } from '../agent/agent-plan.js';

/** The agent's tool of that name; a name that the format does not take finds the tool that it was made to fit. */
export function toolNamed({ tools, facts }: Pick<AgentPlan, 'tools' | 'facts'>, name: string): AgentTool | undefined {
  return tools.get(name) ?? tools.get(fitToolName(name, formatProfile(facts.apiFormat)));
}
