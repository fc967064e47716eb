import type { EffectivePolicy, ReplayPlan } from '#libs/context';
import type { Content, Json, JsonObject } from '#libs/domain';

/** The one step of a replay's pipeline. */
export const REPLAY_STEP = 'replay';

export type ReplayDocument = {
  name: string;
  recording: string;
  /** As a pipeline names it: `replay:<recording>`, with the model and form it is measured as. */
  model: string;
  plan: Pick<ReplayPlan, 'systemPrompt'>;
  /** As the form of the model takes them: `recordedToolNames`. */
  toolNames: readonly string[];
  /** Forced already. */
  policy: EffectivePolicy;
};

/**
 * The pipeline that plays a recording: one agent whose answers and tool results are those of the recording. It names every
 * section of its policy, so that nothing of the server's settings gets in, and leaves each limit of loops to the recording.
 */
export function replayDocument({ name, recording, model, plan, toolNames, policy }: ReplayDocument): JsonObject {
  const { systemPrompt } = plan;
  return {
    name,
    description: `Plays the recording ${recording}.`,
    inputs: {
      task: { type: 'array', required: true },
      // An input, since prompts are templates and recorded ones may hold what looks like one.
      ...(systemPrompt === null ? {} : { system_prompt: { type: 'string', default: systemPrompt } }),
    },
    defaults: { model, timeout: '12h' },
    context: contextBlock(policy),
    agents: {
      recorded: {
        ...(systemPrompt === null ? {} : { system_prompt: '${inputs.system_prompt}' }),
        tools: [...toolNames],
        max_turns: 10_000,
        max_tool_calls_per_turn: 10_000,
      },
    },
    tools: Object.fromEntries(toolNames.map((tool) => [tool, { kind: 'replay', recording }])),
    steps: [{ id: REPLAY_STEP, agent: 'recorded', task: '${inputs.task}' }],
  };
}

/** The input `task` of a run: the recorded user message as parts. */
export const replayTask = (content: Content): Json =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content.map((part) => ({ ...part }));

function contextBlock({ mode, window, budget, blocks, compaction, memory }: EffectivePolicy): JsonObject {
  const section = (fields: JsonObject | null): Json => (fields === null ? 'off' : { ...fields });
  return {
    mode,
    window: section(window),
    budget: section(budget),
    blocks: section(blocks),
    compaction: { ...compaction },
    memory: { ...memory },
  };
}
