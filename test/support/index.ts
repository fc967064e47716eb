export { keepLog, plantedSecret, secretsInText } from './planted-secrets.js';
export { testLogger } from './test-logger.js';
export {
  createTestDatabase,
  describeRedis,
  hasRedis,
  testQueue,
  testRedis,
  type TestDatabase,
  type TestQueue,
  type TestRedis,
} from './test-services.js';
export { waitFor } from './wait-for.js';
export {
  createDataDir,
  isListening,
  npmStart,
  startUp,
  waitUntilGone,
  type ReadyLine,
  type WeirUp,
} from './weir-up.js';
export { Wire } from './wire.js';
