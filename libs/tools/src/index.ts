export { SchemaValidator } from './arguments/schema-validator.js';
export { builtinTools } from './builtin/index.js';
export { createTools, type ToolsOptions } from './create-tools.js';
