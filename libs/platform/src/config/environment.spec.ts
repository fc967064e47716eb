import { ConfigurationError } from './configuration-error.js';
import { parseEnvironment } from './environment.js';

describe('environment', () => {
  it('takes an empty variable for an absent one', () => {
    expect(parseEnvironment({ REDIS_URL: '', WEIR_PORT: '8080' })).toEqual({ WEIR_PORT: 8080 });
  });

  it('ignores what is not ours', () => {
    expect(parseEnvironment({ PATH: '/bin', HOME: '/root' })).toEqual({});
  });

  it.each([
    ['WEIR_PORT', '65536'],
    ['WEIR_PORT', '-1'],
    ['WEIR_PREPARE', 'yes'],
    ['WEIR_DRAIN_S', '0'],
    ['WEIR_POOL_SIZE', '1.5'],
    ['DATABASE_URL', 'mysql://localhost'],
    ['REDIS_URL', 'localhost:6379'],
    ['WEIR_QUEUE_BACKEND', 'kafka'],
  ])('refuses %s=%s by name', (name, text) => {
    expect(() => parseEnvironment({ [name]: text })).toThrow(new RegExp(name));
  });

  it('reports all faults at once and no values', () => {
    const faults = { DATABASE_URL: 'http://user:hunter2@host', WEIR_PORT: 'x' };
    expect(() => parseEnvironment(faults)).toThrow(ConfigurationError);
    expect(() => parseEnvironment(faults)).toThrow(/DATABASE_URL[^]*WEIR_PORT/);
    expect(() => parseEnvironment(faults)).not.toThrow(/hunter2/);
  });
});
