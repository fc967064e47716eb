export {
  runBackgroundApp,
  startBackgroundApp,
  type BackgroundApp,
  type BackgroundModuleOptions,
} from './background-app.js';
export { composeEngine, type Runtime } from './compose-engine.js';
export { logCleaner } from './secret-redactor.js';
export { inJobScope, inTraceScope, type TraceScope } from './observe/trace-scope.js';
export { startWatchdog } from './watchdog.js';
export { startOrExit } from './start-or-exit.js';
export { readinessOf, type ReadinessCheck } from './readiness.js';
export { lookAround } from './checks/look-around.js';
export { databaseUrl, queueSettings } from './queue-settings.js';
