export { parseCatalogue, type Catalogue } from './catalogue/catalogue.js';
export { createModels, type ModelsOptions } from './create-models.js';
export { Scripts } from './scripts/scripts.js';
export type { Script, ScriptDocument, ScriptedReply } from './scripts/script.js';
