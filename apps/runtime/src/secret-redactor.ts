import type { Json, JsonObject } from '#libs/domain';
import type { Settings } from '#libs/platform';
import { secretForms } from '#libs/tools';

/** Shorter values would be found in ordinary words. */
const SHORTEST_SECRET = 8;

/** Forms that are secrets whoever issued them, each with what it always has in it; each is linear to match. */
const SECRET_FORMS: readonly { sign: RegExp; form: RegExp }[] = [
  { sign: /sk-/, form: /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}/g },
  { sign: /weir_/, form: /\bweir_[A-Za-z0-9]+_[A-Za-z0-9_-]{20,}/g },
  { sign: /gh[pousr]_/, form: /\bgh[pousr]_[A-Za-z0-9]{36,}/g },
  { sign: /github_pat_/, form: /\bgithub_pat_[A-Za-z0-9_]{22,}/g },
  { sign: /xox[abprs]-/, form: /\bxox[abprs]-[A-Za-z0-9-]{10,}/g },
  { sign: /AKIA/, form: /\bAKIA[0-9A-Z]{16}\b/g },
  { sign: /AIza/, form: /\bAIza[0-9A-Za-z_-]{35}/g },
  { sign: /[Bb]earer /, form: /(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{20,}=*/g },
  {
    sign: /PRIVATE KEY-----/,
    form: /-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*-----END [A-Z ]*PRIVATE KEY-----/g,
  },
];

/** Nearly all text is let through at one look. */
const MAY_BE_SECRET = new RegExp(SECRET_FORMS.map(({ sign }) => sign.source).join('|'));

/** The operator's own secrets, in every form, by name: keys of connections, secrets of `weir.yml`, environments of MCP servers. */
export function knownSecrets(settings: Pick<Settings, 'connections' | 'secrets' | 'mcpServers'>): Map<string, string> {
  const named: [name: string, value: string | null][] = [
    ...[...settings.connections.values()].flatMap((connection): [string, string | null][] => [
      [`connections.${connection.name}`, connection.apiKey],
      ...Object.entries(connection.headers).map(([header, value]): [string, string] => [
        `connections.${connection.name}.${header}`,
        value,
      ]),
    ]),
    ...[...settings.secrets.values()].map((secret): [string, string | null] => [
      `secrets.${secret.name}`,
      secret.value,
    ]),
    ...[...settings.mcpServers.values()].flatMap((server) =>
      Object.entries(server.env).map(([name, value]): [string, string] => [
        `mcp_servers.${server.name}.${name}`,
        value,
      ]),
    ),
  ];
  return new Map(
    named.flatMap(([name, value]) =>
      value === null || value.length < SHORTEST_SECRET
        ? []
        : secretForms(value).map((form): [string, string] => [form, name]),
    ),
  );
}

/**
 * Replaces secrets in every text of a value, keys of objects too, by `[redacted: name]`, and what only looks like one by
 * `[redacted]`. A value without any comes back as it is (the same object). `secrets`: value → name.
 */
export function secretRedactor(secrets: ReadonlyMap<string, string>): (value: Json) => Json {
  const redactText = textRedactor(secrets);
  const redact = (value: Json): Json => {
    if (typeof value === 'string') return redactText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map(redact);
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    return redactMembers(value);
  };
  /** Copies from the first member on that is not clean: nearly all are. */
  const redactMembers = (value: JsonObject): JsonObject => {
    let copy: [string, Json][] | null = null;
    let clean = 0;
    for (const [key, member] of Object.entries(value)) {
      const [redactedKey, redacted] = [redactText(key), redact(member)];
      if (redactedKey !== key || redacted !== member) copy ??= Object.entries(value).slice(0, clean);
      copy?.push([redactedKey, redacted]);
      clean += 1;
    }
    return copy === null ? value : Object.fromEntries(copy);
  };
  return redact;
}

function textRedactor(secrets: ReadonlyMap<string, string>): (text: string) => string {
  // The longest first: one secret may begin like another.
  const values = [...secrets.keys()].sort((a, b) => b.length - a.length);
  return (text) => {
    if (text.length < SHORTEST_SECRET) return text;
    let redacted = text;
    for (const value of values) redacted = redacted.replaceAll(value, `[redacted: ${secrets.get(value) ?? 'secret'}]`);
    if (MAY_BE_SECRET.test(redacted))
      for (const { form } of SECRET_FORMS) redacted = redacted.replaceAll(form, '[redacted]');
    return redacted;
  };
}

/**
 * For `createLogger`: takes the operator's secrets and the passwords of its servers out of each line. Nothing should log
 * them; drivers and plugins throw what they like.
 */
export function logCleaner(settings: Settings): (line: string) => string {
  return textRedactor(new Map([...knownSecrets(settings), ...serverPasswords(settings)]));
}

function serverPasswords({ database, queue }: Settings): [value: string, name: string][] {
  return [database.url, queue.redisUrl].flatMap((address, index): [string, string][] => {
    if (address === null || !URL.canParse(address)) return [];
    const { username, password } = new URL(address);
    // A password that is also the user's name is no secret, and its word stands everywhere.
    if (password.length < SHORTEST_SECRET || password === username) return [];
    const name = index === 0 ? 'DATABASE_URL' : 'REDIS_URL';
    return [password, ...secretForms(decodeURIComponent(password))].map((form) => [form, name]);
  });
}
