import { readFileSync, writeFileSync } from 'node:fs';
import { dependencyTables, productionDependencies, withTables } from './list-dependencies.js';

/** `npm run dependencies:list`: the tables of docs/dependencies.md as package-lock.json has them. */
const FILE = 'docs/dependencies.md';
writeFileSync(FILE, withTables(readFileSync(FILE, 'utf8'), dependencyTables(productionDependencies('.'))));
