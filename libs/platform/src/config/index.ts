export { packageRoot } from './package-root.js';
export { ConfigurationError, type ConfigurationFault } from './configuration-error.js';
export { parseEnvironment, type Environment } from './environment.js';
export { loadSettings } from './load-settings.js';
export { parseOperatorFile, type ModelOverride, type OperatorFile } from './operator-file.js';
export { processEnvironment, searchPath } from './process-environment.js';
export {
  resolveSettings,
  type ConnectionSettings,
  type McpServerSettings,
  type QueueBackend,
  type RateLimits,
  type SecretSettings,
  type Settings,
} from './settings.js';
export { weirVersion } from './version.js';
