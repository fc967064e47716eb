export { celExpressions, type CelOptions } from './cel-expressions.js';
