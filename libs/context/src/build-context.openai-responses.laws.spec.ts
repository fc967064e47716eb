import { assertLaws, LAW_TIMEOUT_MS } from './testing/assert-laws.js';

describe('the context in the form openai_responses', () => {
  it('keeps laws C1–C9 and C11–C16 over random sessions', () => assertLaws('openai_responses'), LAW_TIMEOUT_MS);
});
