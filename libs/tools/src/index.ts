export { SchemaValidator } from './arguments/schema-validator.js';
export { builtinTools } from './builtin/index.js';
export { createTools, type ClosableTools, type ToolsOptions } from './create-tools.js';
export { loadPlugins } from './plugin/load-plugins.js';
export { secretForms } from './http/secret-forms.js';
