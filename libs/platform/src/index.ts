export * from './telemetry/index.js';
export * from './config/index.js';
export * from './documents/index.js';
export * from './lifecycle/index.js';
export * from './logging/index.js';
export * from './services/index.js';
