import { ConfigurationError } from '#libs/platform';
import { serverContextOf } from './engine-settings.js';

describe('runtime.context of weir.yml', () => {
  it('may be absent', () => {
    expect(serverContextOf({ runtimeContext: null })).toBeNull();
  });

  it('is taken as it is when it is a context policy', () => {
    expect(serverContextOf({ runtimeContext: { preset: 'chat' } })).toEqual({ preset: 'chat' });
  });

  it('stops the start with every fault, instead of failing every step later', () => {
    const faulty = { runtimeContext: { presett: 'chat', window: { maximum: 1 } } };
    expect(() => serverContextOf(faulty)).toThrow(ConfigurationError);
    expect(() => serverContextOf(faulty)).toThrow(/runtime\.context\.presett: found "chat", expected /);
    expect(() => serverContextOf(faulty)).toThrow(/runtime\.context\.window\.maximum: found 1, expected /);
  });
});
