import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

/** Lines of JSON; ids of request, run and step ride on child loggers. */
export type Logger = PinoLogger;

export type LogContext = {
  readonly request_id?: string;
  readonly run_id?: string;
  readonly step_id?: string;
  readonly item?: number;
  readonly compaction_id?: string;
  readonly worker_id?: string;
};

/**
 * Keys that may carry what users or models wrote, or credentials. Nobody should log them;
 * this is the net below that rule, one and two levels deep.
 */
const payloadKeys = [
  'inputs',
  'output',
  'messages',
  'content',
  'text',
  'prompt',
  'arguments',
  'result',
  'documents',
  'data',
  'body',
  'authorization',
  'cookie',
  'api_key',
  'apiKey',
  'password',
  'secret',
  'headers',
];

export type LoggerOptions = {
  readonly name: string;
  readonly level?: string;
  /** Takes secrets out of each line before it is written. */
  readonly clean?: (line: string) => string;
};

/** @param destination defaults to stderr, so that stdout stays free for the command line's answers. */
export function createLogger(
  options: LoggerOptions,
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger {
  return pino(
    {
      name: options.name,
      level: options.level ?? 'info',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      ...(options.clean === undefined ? {} : { hooks: { streamWrite: options.clean } }),
      redact: { paths: payloadKeys.flatMap((key) => [key, `*.${key}`]), censor: '[not logged]' },
    },
    destination,
  );
}

export function withContext(logger: Logger, context: LogContext): Logger {
  return logger.child(context);
}
