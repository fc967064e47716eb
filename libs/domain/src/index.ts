export * from './app-error.js';
export * from './canonical-json.js';
export * from './events/index.js';
export * from './ids.js';
export * from './json.js';
export * from './pipeline/index.js';
export * from './run/run-status.js';
