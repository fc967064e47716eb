export { API_KEY_SCOPES, isApiKeyScope, type ApiKeyScope } from './api-key-scope.js';
export { mintApiKey, parseApiKeyToken, secretMatches, type MintedApiKey } from './api-key.js';
