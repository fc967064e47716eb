// Writes openapi.json and the types made of it. Run by `npm run client:generate`, after a build; a spec fails when the
// two have drifted from what the API serves.
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { describeApi } from '../../dist/apps/api/src/openapi/describe-api.js';

// The version of the package would make every release a drift.
const document = await describeApi('v1');
const text = `${JSON.stringify(document, null, 2)}\n`;
writeFileSync(new URL('openapi.json', import.meta.url), text);
const types = astToString(await openapiTS(JSON.parse(text), { alphabetize: true, defaultNonNullable: false }));
writeFileSync(
  new URL('src/openapi.gen.ts', import.meta.url),
  `// Generated from ../openapi.json by \`npm run client:generate\`. Do not edit.\n${types}`,
);
