// The model of W4 at Weir's port for models, where adapters of providers stand. A run's conversation has the workflow's name.
import { modelOf } from './lib/agent-loop.mjs';
import { setHarnessId } from './bench-plugin.mjs';
import { MODEL } from './weir-pipelines.mjs';

/** `models` of an engine with calls of the bench's model answered here, and what says of a workflow how many turns it has. */
export function withAgentModel(models) {
  const answers = new Map();
  const expect = (id, turns) => answers.set(id, modelOf(id, turns));
  const call = async (asked) => {
    if (asked.model !== MODEL) return models.call(asked);
    const { runId, streamId } = asked.position;
    const { content, call: wanted } = answers.get(streamId)(charsOf(asked.request.messages));
    setHarnessId(runId, streamId);
    return answered(content, wanted);
  };
  return { models: { ...models, call }, expect };
}

const textChars = (parts) => parts.reduce((sum, { text }) => sum + text.length, 0);
const charsOf = (messages) =>
  messages.reduce(
    (sum, { content, tool_calls: calls }) =>
      sum + textChars(content) + (calls?.length ? JSON.stringify(calls).length : 0),
    0,
  );

/** Without usage, like the other peers' models. */
const answered = (content, wanted) => ({
  kind: 'answer',
  message: {
    content: [{ type: 'text', text: content }],
    tool_calls: wanted === null ? [] : [{ id: wanted.id, name: wanted.name, arguments: JSON.stringify(wanted.args) }],
  },
  finishReason: wanted === null ? 'stop' : 'tool_calls',
  usage: null,
  costUsd: null,
  wireHash: null,
  providerPayload: null,
});
