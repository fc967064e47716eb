import 'reflect-metadata';
import { startOrExit } from '../../runtime/src/index.js';
import { runApi } from './run-api.js';

await startOrExit('api', runApi);
