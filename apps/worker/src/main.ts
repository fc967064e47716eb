import 'reflect-metadata';
import { runBackgroundApp, startOrExit } from '../../runtime/src/index.js';
import { workerApp } from './worker-app.js';

await startOrExit('worker', () => runBackgroundApp(workerApp));
