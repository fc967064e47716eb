export * from './announced-events.js';
export * from './decide-tick.js';
export * from './hook.js';
export * from './retry-webhook.js';
export * from './run-template.js';
