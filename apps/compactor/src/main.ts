import 'reflect-metadata';
import { runBackgroundApp, startOrExit } from '../../runtime/src/index.js';
import { compactorApp } from './compactor-app.js';

await startOrExit('compactor', () => runBackgroundApp(compactorApp));
