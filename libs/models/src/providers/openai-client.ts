import type { ConnectionSettings } from '#libs/platform';
import { MAX_TIMER_MS } from '../outcome/call-deadline.js';
import type { Conversation } from './http-call.js';

const OPENAI_URL = 'https://api.openai.com/v1';
const NO_KEY = 'none';

/** What both of OpenAI's APIs are reached with. Retries and timeouts are ours. */
export const openAiClient = (connection: ConnectionSettings, fetch: Conversation['fetch']) => ({
  apiKey: connection.apiKey ?? NO_KEY,
  configuration: {
    baseURL: connection.baseUrl ?? OPENAI_URL,
    fetch,
    // Otherwise read from the environment of the process.
    organization: null,
    project: null,
    timeout: MAX_TIMER_MS,
  },
  maxRetries: 0,
});
