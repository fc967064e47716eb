import { z } from 'zod';
import { ConfigurationError } from './configuration-error.js';

const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');
const positiveInteger = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'expected a whole number above 0')
  .transform(Number);
const port = z
  .string()
  .regex(/^\d{1,5}$/, 'expected a port, 0 to 65535 (0 = any free one)')
  .transform(Number)
  .refine((value) => value <= 65_535, 'expected a port, 0 to 65535 (0 = any free one)');
const seconds = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,3})?$/, 'expected seconds, for example 45 or 2.5')
  .transform(Number)
  .refine((value) => value > 0, 'expected seconds above 0');
const address = (protocols: readonly string[]) =>
  z
    .string()
    .refine(
      (text) => protocols.some((protocol) => text.startsWith(protocol)),
      `expected an address that begins with ${protocols.join(' or ')}`,
    );

/** Every variable that Weir reads; each is optional, defaults are in `settings.ts`. */
const environmentSchema = z.object({
  DATABASE_URL: address(['postgres://', 'postgresql://']).optional(),
  REDIS_URL: address(['redis://', 'rediss://', 'unix://']).optional(),
  WEIR_QUEUE_BACKEND: z.enum(['redis', 'postgres']).optional(),
  WEIR_QUEUE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional(),
  WEIR_ALLOW_EVICTION: flag.optional(),
  WEIR_SCRIPTS_DIR: z.string().min(1).optional(),
  WEIR_PREPARE: flag.optional(),
  WEIR_POOL_SIZE: positiveInteger.optional(),
  WEIR_HOST: z.string().min(1).optional(),
  WEIR_PORT: port.optional(),
  WEIR_HEALTH_PORT: port.optional(),
  WEIR_DATA_DIR: z.string().min(1).optional(),
  WEIR_CONFIG: z.string().min(1).optional(),
  WEIR_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).optional(),
  WEIR_DRAIN_S: seconds.optional(),
  WEIR_LEASE_S: seconds.optional(),
  WEIR_HEARTBEAT_S: seconds.optional(),
  WEIR_SWEEP_S: seconds.optional(),
  WEIR_RELAY_S: seconds.optional(),
  WEIR_STALL_S: seconds.optional(),
  WEIR_GO_ON_S: seconds.optional(),
  WEIR_LIMIT_MINUTE_S: seconds.optional(),
  WEIR_WORKER_CONCURRENCY: positiveInteger.optional(),
  WEIR_COMPACTOR_CONCURRENCY: positiveInteger.optional(),
  WEIR_WORKER_ID: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/)
    .optional(),
  WEIR_RETENTION_DAYS: positiveInteger.optional(),
  WEIR_URL: address(['http://', 'https://']).optional(),
  WEIR_API_KEY: z.string().min(1).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: address(['http://', 'https://']).optional(),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: flag.optional(),
});

export type Environment = z.infer<typeof environmentSchema>;

/**
 * First of the two pure steps of configuration: variables as text → checked values.
 * An empty variable counts as absent, as in `REDIS_URL= npm start`.
 * @throws ConfigurationError with every faulty variable, never with a value (it may be a password).
 */
export function parseEnvironment(variables: Readonly<Record<string, string | undefined>>): Environment {
  const given = Object.fromEntries(Object.entries(variables).filter(([, text]) => text !== undefined && text !== ''));
  const parsed = environmentSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(
    'environment',
    parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message })),
  );
}
