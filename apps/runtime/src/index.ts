export { runBackgroundApp, startBackgroundApp, type BackgroundApp, type BackgroundModuleOptions } from './background-app.js';
export { composeEngine, type Runtime } from './compose-engine.js';
export { databaseUrl, queueSettings } from './queue-settings.js';
export { startOrExit } from './start-or-exit.js';
export { readinessOf, type ReadinessCheck, type ReadinessReport } from './readiness.js';
