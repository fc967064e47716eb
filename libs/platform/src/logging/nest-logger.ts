import type { Logger } from './logger.js';

/**
 * What Nest asks of a logger (its `LoggerService`, matched by shape: Nest itself stays out of this library).
 * Nest passes the context as the last argument, and for errors a stack before it.
 */
export class NestLogger {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.info(fields(rest), text(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.logger.error({ ...fields(rest), ...errorField(message, rest) }, text(message));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn(fields(rest), text(message));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.logger.debug(fields(rest), text(message));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.logger.trace(fields(rest), text(message));
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.logger.fatal({ ...fields(rest), ...errorField(message, rest) }, text(message));
  }
}

function text(message: unknown): string {
  if (typeof message === 'string') return message;
  if (message instanceof Error) return message.message;
  return JSON.stringify(message) ?? String(message);
}

function fields(rest: readonly unknown[]): { context?: string } {
  const last = rest.at(-1);
  return typeof last === 'string' ? { context: last } : {};
}

function errorField(message: unknown, rest: readonly unknown[]): { err?: Error; stack?: string } {
  if (message instanceof Error) return { err: message };
  const stack = rest.find((value) => typeof value === 'string' && value.includes('\n    at '));
  return typeof stack === 'string' ? { stack } : {};
}
