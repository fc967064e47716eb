import { z } from 'zod';
import { readYaml, yamlFaultText } from '../documents/index.js';
import { ConfigurationError } from './configuration-error.js';

const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'expected a name: letters, digits, _ and -, a letter first');
const host = z
  .string()
  .regex(/^(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/, 'expected a host, optionally with :port');
const secretValue = z.union([z.string().min(1), z.strictObject({ env: z.string().min(1) })]);
const positive = z.int().positive();

const limits = z.strictObject({
  requests_per_minute: positive.optional(),
  tokens_per_minute: positive.optional(),
  concurrent_requests: positive.optional(),
});

const connection = z.strictObject({
  provider: z.enum(['openai', 'anthropic', 'google', 'bedrock']),
  base_url: z.url({ protocol: /^https?$/ }).optional(),
  api_key: secretValue.optional(),
  headers: z.record(z.string(), z.string()).default({}),
  allow_private_addresses: z.boolean().default(false),
  limits: limits.default({}),
});

const prices = z.strictObject({
  input: z.number().nonnegative(),
  cached_input: z.number().nonnegative().optional(),
  cache_write: z.number().nonnegative().optional(),
  output: z.number().nonnegative(),
});

const modelOverride = z.strictObject({
  window_tokens: positive.optional(),
  max_output_tokens: positive.optional(),
  prices_per_million: prices.optional(),
  prompt_caching: z.boolean().optional(),
  images: z.boolean().optional(),
  documents: z.boolean().optional(),
  api_format: z
    .enum(['openai_chat', 'openai_responses', 'anthropic', 'anthropic_thinking', 'gemini', 'bedrock', 'strict_chat'])
    .optional(),
  token_ratio: z.number().min(0.5).max(3).optional(),
  structured_output: z.boolean().optional(),
  limits: limits.optional(),
});

const mcpServer = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), secretValue).default({}),
  cwd: z.string().min(1).optional(),
});

/** `weir.yml`, the operator's file. What authors of pipelines may not decide is decided here. */
const operatorFileSchema = z.strictObject({
  connections: z.record(name, connection).default({}),
  // Checked by the context library's own schema when the server starts: its words live there.
  runtime: z.strictObject({ context: z.record(z.string(), z.unknown()).optional() }).default({}),
  http: z
    .strictObject({
      allowed_hosts: z.array(host).default([]),
      http_request_hosts: z.array(host).default([]),
    })
    .default({ allowed_hosts: [], http_request_hosts: [] }),
  secrets: z.record(name, z.strictObject({ value: secretValue, hosts: z.array(host).min(1) })).default({}),
  mcp_servers: z.record(name, mcpServer).default({}),
  plugins: z.array(z.string().min(1)).default([]),
  models: z.record(z.string().regex(/^[^:\s]+:\S+$/, 'expected connection:model'), modelOverride).default({}),
});

export type OperatorFile = z.infer<typeof operatorFileSchema>;
export type SecretValue = z.infer<typeof secretValue>;
export type ModelOverride = z.infer<typeof modelOverride>;

/**
 * Text of `weir.yml` → checked document. `file` is only named in errors.
 * @throws ConfigurationError with the path of every fault (`connections.openai.base_url`).
 */
export function parseOperatorFile(text: string, file: string): OperatorFile {
  const document = readYaml(text);
  if (!document.ok) {
    throw new ConfigurationError(
      file,
      document.faults.map((fault) => ({ path: '', message: yamlFaultText(fault) })),
    );
  }
  const parsed = operatorFileSchema.safeParse(document.value ?? {});
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(
    file,
    parsed.error.issues.map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message })),
  );
}
