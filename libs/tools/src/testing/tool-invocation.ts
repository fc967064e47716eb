import type { Content, Json, JsonObject, ToolDefinition } from '#libs/domain';
import type { ResolvedTool, ToolInvocation } from '#libs/engine';

type Setting = {
  memory?: { [key: string]: Json };
  results?: { [entry: number]: Content };
  signal?: AbortSignal;
  definition?: ToolDefinition | null;
  position?: Partial<ToolInvocation['position']>;
};

/** An invocation with everything that a spec does not care about filled in. */
export function toolInvocation(tool: ResolvedTool, args: JsonObject, setting: Setting = {}): ToolInvocation {
  const memory = setting.memory ?? {};
  return {
    tool,
    definition: setting.definition ?? null,
    args,
    idempotencyKey: null,
    position: {
      projectId: 'p',
      streamId: 's',
      runId: 'r',
      stepId: 'a',
      item: null,
      callNo: 1,
      try: 1,
      ordinal: 0,
      ...setting.position,
    },
    variables: {},
    signal: setting.signal ?? new AbortController().signal,
    memory: {
      read: () => Promise.resolve({ ...memory }),
      write: (key, value) => {
        memory[key] = value;
        return Promise.resolve();
      },
      delete: (key) => Promise.resolve(Object.hasOwn(memory, key) && delete memory[key]),
    },
    readResult: (entry) => Promise.resolve(setting.results?.[entry] ?? null),
  };
}
