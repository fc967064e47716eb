export { createLogger, withContext, type LogContext, type Logger } from './logger.js';
export { NestLogger } from './nest-logger.js';
