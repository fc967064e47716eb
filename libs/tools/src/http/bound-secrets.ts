import { parseTemplate, type ExpressionLanguage, type Json, type JsonObject } from '#libs/domain';
import { matchesHost } from '#libs/outbound';
import type { SecretSettings } from '#libs/platform';
import type { HttpDefinition } from './render-request.js';

export type SecretsResult = { ok: true; used: SecretSettings[]; values: JsonObject } | { ok: false; detail: string };

const ROOTS = ['args', 'inputs', 'run', 'steps', 'item', 'item_index', 'last', 'secrets'];

/** The secrets that a definition's templates read, by name; each must be one that the operator set. */
export function secretsOf(
  definition: HttpDefinition,
  secrets: ReadonlyMap<string, SecretSettings>,
  language: ExpressionLanguage,
): SecretsResult {
  const used = new Map<string, SecretSettings>();
  const values: JsonObject = {};
  for (const source of expressionsOf(definition)) {
    const check = language.check(source, ROOTS);
    if (!check.ok) return { ok: false, detail: `\${${source}}: ${check.detail}` };
    for (const { root, path } of check.references) {
      if (root !== 'secrets') continue;
      const name = path[0];
      if (name === undefined) return { ok: false, detail: 'secrets are read by name: ${secrets.<name>}' };
      const secret = secrets.get(name);
      if (secret === undefined)
        return { ok: false, detail: `there is no secret ${name}; the operator sets secrets in weir.yml` };
      if (secret.value === null)
        return { ok: false, detail: `the secret ${name} has no value; it is read from ${secret.source}` };
      used.set(name, secret);
      values[name] = secret.value;
    }
  }
  return { ok: true, used: [...used.values()], values };
}

/** Null when every secret may go to this address: bound to its host, and not in the clear over the public net. */
export function refusedSecret(used: readonly SecretSettings[], url: URL, isOperatorHost: boolean): string | null {
  const foreign = used.find(({ hosts }) => !hosts.some((pattern) => matchesHost(pattern, url)));
  if (foreign !== undefined) return `the secret ${foreign.name} is not bound to ${url.host}, so it is not sent there`;
  const first = used[0];
  if (first !== undefined && url.protocol === 'http:' && !isOperatorHost)
    return `the secret ${first.name} is sent over https only`;
  return null;
}

function expressionsOf(definition: HttpDefinition): string[] {
  const sources: string[] = [];
  const templates: Json[] = [
    definition.url,
    ...definition.query.values(),
    ...definition.headers.values(),
    definition.body,
  ];
  for (const text of templates.flatMap(stringsOf)) {
    const parsed = parseTemplate(text);
    if (parsed.ok) for (const part of parsed.parts) if (part.type === 'expression') sources.push(part.source.trim());
  }
  return sources;
}

function stringsOf(template: Json): string[] {
  if (typeof template === 'string') return [template];
  if (typeof template !== 'object' || template === null) return [];
  return (Array.isArray(template) ? template : Object.values(template)).flatMap(stringsOf);
}
