export { extractiveAnswer, type ExtractiveAnswer, type ExtractiveQuestion } from './extractive-answer.js';
