export * from './expression-language.js';
export * from './json-object.js';
export * from './pipeline-definition.js';
export * from './pipeline-facts.js';
export * from './pipeline-fault.js';
export * from './pipeline-step.js';
export * from './tool-definition.js';
