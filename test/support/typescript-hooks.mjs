import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import swc from '@swc/core';
import { swcOptions } from './swc-options.mjs';

/** Imports between libraries lead to their sources, and `./x.js` to `./x.ts` where there is one. */
export async function resolve(specifier, context, nextResolve) {
  if (specifier.startsWith('#libs/')) {
    return nextResolve(specifier, { ...context, conditions: ['source', ...context.conditions] });
  }
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return nextResolve(source.href, context);
  }
  return nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const filename = fileURLToPath(url);
  const { code } = await swc.transform(readFileSync(filename, 'utf8'), {
    ...swcOptions,
    filename,
    configFile: false,
    swcrc: false,
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}
