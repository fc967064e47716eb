import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { AppError, jsonObjectSchema, parseJson, type Json, type JsonObject } from '#libs/domain';
import { defineTool, type LoadedTool, type PluginApi, type PluginCall } from './define-tool.js';

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const moduleShape = z.looseObject({ default: z.unknown().optional() });
const factoryShape = z.custom<(api: PluginApi) => unknown>((value) => typeof value === 'function');

const toolShape = z.object({
  name: z.string().regex(TOOL_NAME, 'expected 1 to 64 letters, digits, _ or -'),
  description: z.string().default(''),
  input: z.custom<object>(
    (value) => typeof value === 'object' && value !== null,
    'expected a JSON Schema or a zod schema',
  ),
  effect: z.enum(['read_only', 'idempotent', 'idempotent_with_key', 'non_idempotent']).default('non_idempotent'),
  primaryArgument: z.string().optional(),
  timeoutMs: z.number().int().positive().optional(),
  run: z.custom<(args: unknown, call: PluginCall) => unknown>(
    (value) => typeof value === 'function',
    'expected a function',
  ),
});

/**
 * The tools of the operator's modules, by name. A module is a path (from the working directory, or absolute) or a package;
 * its default export is a tool, a list of tools, or a function that is given `{ defineTool, z }` and returns them.
 * @throws AppError `invalid_plugin`, which names the module and what is wrong with it
 */
export async function loadPlugins(modules: readonly string[]): Promise<ReadonlyMap<string, LoadedTool>> {
  const tools = new Map<string, LoadedTool>();
  for (const name of modules) {
    for (const tool of await toolsOf(name)) {
      if (tools.has(tool.name)) throw invalid(name, `there is a tool ${tool.name} of another plugin already`);
      tools.set(tool.name, tool);
    }
  }
  return tools;
}

async function toolsOf(name: string): Promise<LoadedTool[]> {
  let exported: unknown;
  try {
    const given = moduleShape.parse(await import(addressOf(name))).default;
    const factory = factoryShape.safeParse(given);
    exported = factory.success ? await factory.data({ defineTool, z }) : given;
  } catch (error) {
    throw invalid(name, `it cannot be loaded: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  const given: unknown[] = Array.isArray(exported) ? exported : [exported];
  return given.map((one, index) => {
    const parsed = toolShape.safeParse(one);
    if (parsed.success) return loadedTool(name, parsed.data);
    const faults = parsed.error.issues.map(
      (issue) => `${issue.path.map(String).join('.') || 'tool'}: ${issue.message}`,
    );
    throw invalid(name, `tool ${index + 1} of its default export: ${faults.join('; ')}`);
  });
}

function addressOf(name: string): string {
  const isPath = /^(?:\.{1,2}[\\/]|[\\/]|[A-Za-z]:[\\/])/.test(name);
  if (isPath) return pathToFileURL(resolve(name)).href;
  // From where the operator runs Weir, not from where Weir lies.
  return pathToFileURL(createRequire(resolve('weir.yml')).resolve(name)).href;
}

function loadedTool(module: string, tool: z.infer<typeof toolShape>): LoadedTool {
  const schema = isZod(tool.input) ? tool.input : null;
  const parameters = jsonObjectSchema.safeParse(schema === null ? tool.input : z.toJSONSchema(schema, { io: 'input' }));
  if (!parameters.success || parameters.data['type'] !== 'object')
    throw invalid(module, `tool ${tool.name}: input must be a schema of type object`);
  return {
    name: tool.name,
    description: tool.description,
    parameters: parameters.data,
    effect: tool.effect,
    primaryArgument: tool.primaryArgument ?? null,
    timeoutMs: tool.timeoutMs ?? null,
    run: async (args: JsonObject, call): Promise<Json | undefined> => {
      const answer = await tool.run(schema === null ? args : schema.parse(args), call);
      return answer === undefined ? undefined : parseJson(JSON.stringify(answer));
    },
  };
}

const isZod = (input: object): input is z.ZodType => '_zod' in input;

function invalid(module: string, why: string, cause?: unknown): AppError {
  return new AppError('invalid_plugin', `The plugin ${module} of weir.yml: ${why}.`, { module }, { cause });
}
