export { exitOnSignals, isStartedByNpm, watchParent } from './exit-on-signals.js';
export { createShutdown, type Shutdown, type ShutdownReport, type ShutdownStep } from './shutdown.js';
