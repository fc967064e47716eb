export type * from './ports/index.js';
export * from './api-keys/index.js';
