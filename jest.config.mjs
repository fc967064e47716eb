// ESM tests on sources: needs NODE_OPTIONS=--experimental-vm-modules, which `npm test` sets.
import { swcOptions } from './test/support/swc-options.mjs';

export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // These export a condition `source` too, which is TypeScript.
    '^eventsource-parser$': '<rootDir>/node_modules/eventsource-parser/dist/index.js',
    '^eventsource-parser/stream$': '<rootDir>/node_modules/eventsource-parser/dist/stream.js',
    '^eventsource$': '<rootDir>/node_modules/eventsource/dist/index.js',
  },
  transform: { '^.+\\.ts$': ['@swc/jest', swcOptions] },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/\\.dist-', '<rootDir>/.weir/'],
  testMatch: [
    '<rootDir>/libs/**/*.spec.ts',
    '<rootDir>/apps/**/*.spec.ts',
    '<rootDir>/test/**/*.spec.ts',
    '!**/test/fixtures/**',
  ],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // The first test that needs a database also waits for the servers to start.
  testTimeout: 60_000,
  maxWorkers: 2,
  // Modules of ESM tests stay in memory until their worker ends.
  workerIdleMemoryLimit: '1GB',
};
