export * from './api-keys/index.js';
export * from './claim/held-steps.js';
export type * from './engine-deps.js';
export type * from './ports/index.js';
