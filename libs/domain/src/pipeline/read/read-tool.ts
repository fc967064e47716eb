import type { ToolEffect } from '../../events/conversation-events.js';
import type { JsonObject } from '../../json.js';
import { describeValue } from '../fault-writer.js';
import { isJsonObject } from '../json-object.js';
import { parsePipelineReference, PIPELINE_NAME_WORDS, TOOL_NAME_PATTERN, TOOL_NAME_WORDS } from '../names.js';
import type { Template } from '../template.js';
import { TOOL_KINDS, type McpServer, type ToolDefinition, type ToolKind, type ToolTarget } from '../tool-definition.js';
import { Fields } from './fields.js';
import { readSchema } from './read-agent.js';
import type { Reading } from './reading.js';

const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const EFFECTS = ['read_only', 'idempotent', 'idempotent_with_key', 'non_idempotent'] as const;

/** Keys that belong to some kinds only; the others belong to all. */
const TOOL_KIND_KEYS: ReadonlyMap<string, readonly ToolKind[]> = new Map([
  ['method', ['http']],
  ['url', ['http', 'mcp']],
  ['query', ['http']],
  ['headers', ['http', 'mcp']],
  ['body', ['http']],
  ['server', ['mcp']],
  ['tool', ['mcp']],
  ['builtin', ['builtin']],
  ['pipeline', ['pipeline']],
  ['plugin', ['plugin']],
  ['recording', ['replay']],
  ['result', ['http']],
]);

/** Null when its kind is unknown or what the kind needs is missing; the faults say which. */
export function readTool(
  name: string,
  object: JsonObject,
  path: readonly (string | number)[],
  reading: Reading,
): ToolDefinition | null {
  const fields = new Fields(object, path, reading, { at: 'tool', properties: declaredProperties(object) });
  if (!TOOL_NAME_PATTERN.test(name)) {
    reading.fault(path, { code: 'bad_name', found: describeValue(name), expected: TOOL_NAME_WORDS });
  }
  const kind = TOOL_KINDS.find((known) => known === fields.raw('kind'));
  if (kind === undefined) return null;
  checkKeys(fields, kind);
  const target = readTarget(kind, name, fields);
  const parameters = readSchema(fields, 'parameters');
  checkParameters(fields, parameters);
  if (target === null) return null;
  return {
    name,
    description: fields.text('description'),
    parameters,
    effect: readEffect(fields, target),
    timeoutMs: fields.durationMs('timeout', 1),
    requiresApproval: fields.flag('requires_approval') ?? false,
    primaryArgument: fields.text('primary_argument'),
    onUnknownOutcome: fields.choice('on_unknown_outcome', ['ask', 'fail', 'tell_model'], 'fail'),
    ...target,
  };
}

/** The argument names that templates of the target may use; null when the schema does not list them. */
function declaredProperties(tool: JsonObject): readonly string[] | null {
  const parameters = tool['parameters'];
  const properties = isJsonObject(parameters) ? parameters['properties'] : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : null;
}

function checkKeys(fields: Fields, kind: ToolKind): void {
  for (const key of fields.keys()) {
    const kinds = TOOL_KIND_KEYS.get(key);
    if (kinds === undefined || kinds.includes(kind)) continue;
    fields.reading.fault(fields.at(key), {
      code: 'key_not_for_kind',
      found: `${key} on a tool of kind ${kind}`,
      expected: `kind ${kinds.join(' or ')}`,
    });
  }
}

function checkParameters(fields: Fields, parameters: JsonObject | null): void {
  if (parameters === null) return;
  const type = parameters['type'];
  if (type !== 'object') {
    const found = describeValue(type);
    fields.reading.fault([...fields.at('parameters'), 'type'], {
      code: 'parameters_not_object',
      found,
      expected: 'object: providers take no other',
    });
  }
  const primary = fields.text('primary_argument');
  const properties = parameters['properties'];
  if (primary === null || !isJsonObject(properties) || Object.hasOwn(properties, primary)) return;
  fields.reading.fault(fields.at('primary_argument'), {
    code: 'unknown_argument',
    found: describeValue(primary),
    expected: `one of ${Object.keys(properties).join(', ')}`,
  });
}

/** GET and HEAD only read; MCP servers, plugins and builtin tools say it themselves; the rest might not bear repetition. */
function readEffect(fields: Fields, target: ToolTarget): ToolEffect | null {
  const declared = EFFECTS.find((effect) => effect === fields.raw('effect'));
  if (declared !== undefined) return declared;
  switch (target.kind) {
    case 'http':
      return target.method === 'GET' || target.method === 'HEAD' ? 'read_only' : 'non_idempotent';
    case 'pipeline':
      return 'non_idempotent';
    case 'replay':
      return 'read_only';
    case 'mcp':
    case 'builtin':
    case 'plugin':
      return null;
  }
}

function readTarget(kind: ToolKind, name: string, fields: Fields): ToolTarget | null {
  switch (kind) {
    case 'http':
      return readHttp(fields);
    case 'mcp':
      return readMcp(name, fields);
    case 'builtin':
      return { kind, builtin: fields.text('builtin') ?? name };
    case 'pipeline':
      return readPipelineTool(fields);
    case 'plugin':
      return { kind, plugin: fields.text('plugin') ?? name };
    case 'replay': {
      const recording = required(fields, 'recording', 'the name of a recording');
      return recording === null ? null : { kind, recording };
    }
  }
}

function readHttp(fields: Fields): ToolTarget | null {
  fields.template('query');
  fields.template('headers');
  const method = fields.choice('method', HTTP_METHODS, 'GET');
  const body = fields.template('body');
  if (fields.has('body') && (method === 'GET' || method === 'HEAD')) {
    fields.reading.fault(fields.at('body'), {
      code: 'key_not_for_kind',
      found: `a body with ${method}`,
      expected: 'method POST, PUT, PATCH or DELETE',
    });
  }
  const url = readUrl(fields, 'an http or https address');
  if (url === null) return null;
  const target = {
    kind: 'http',
    method,
    url,
    query: templates(fields, 'query'),
    headers: headers(fields),
    body,
  } as const;
  const resultComesLater = fields.choice('result', ['now', 'later'], 'now') === 'later';
  return resultComesLater ? { ...target, resultComesLater } : target;
}

function readMcp(name: string, fields: Fields): ToolTarget | null {
  const remoteName = fields.text('tool') ?? name;
  fields.template('headers');
  const server = readMcpServer(fields);
  return server === null ? null : { kind: 'mcp', server, remoteName };
}

function readMcpServer(fields: Fields): McpServer | null {
  if (fields.has('server') && fields.has('url')) {
    fields.reading.fault(fields.at('url'), {
      code: 'conflicting_keys',
      found: 'server and url',
      expected: 'one of the two',
    });
    return null;
  }
  const name = fields.text('server');
  if (name !== null) return { from: 'settings', name };
  if (fields.has('server')) return null;
  const url = readUrl(fields, 'server (a name of the operator’s settings) or url (streamable HTTP)');
  return url === null ? null : { from: 'url', url, headers: headers(fields) };
}

function readPipelineTool(fields: Fields): ToolTarget | null {
  const text = required(fields, 'pipeline', 'the name of a pipeline');
  if (text === null) return null;
  const reference = parsePipelineReference(text);
  if (reference !== null) return { kind: 'pipeline', pipeline: reference.name, version: reference.version };
  fields.reading.fault(fields.at('pipeline'), {
    code: 'bad_name',
    found: describeValue(text),
    expected: `name or name@version; a name is ${PIPELINE_NAME_WORDS}`,
  });
  return null;
}

/** The address guard looks at the expanded address; here only what is literally wrong is refused. */
function readUrl(fields: Fields, words: string): string | null {
  const url = required(fields, 'url', words);
  if (url === null) return null;
  fields.template('url');
  if (/^(https?:\/\/.|\$\{)/i.test(url)) return url;
  fields.reading.fault(fields.at('url'), {
    code: 'bad_url',
    found: describeValue(url),
    expected: 'an address that starts with http:// or https://',
  });
  return null;
}

function required(fields: Fields, key: string, words: string): string | null {
  if (!fields.has(key)) fields.reading.fault(fields.at(key), { code: 'missing', found: 'nothing', expected: words });
  return fields.text(key);
}

function templates(fields: Fields, key: string): ReadonlyMap<string, Template> {
  return new Map(Object.entries(fields.jsonObject(key) ?? {}));
}

function headers(fields: Fields): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(fields.jsonObject('headers') ?? {}).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
