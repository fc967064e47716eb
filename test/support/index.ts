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
