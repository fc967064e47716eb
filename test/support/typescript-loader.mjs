// Lets plain node run the sources: `node --import ./test/support/typescript-loader.mjs file.ts`, or an import of
// this file before `await import('….ts')`. The compiled apps never need it.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
