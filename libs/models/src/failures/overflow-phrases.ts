/**
 * How providers say that a request is larger than the model's window. One line a phrasing, with an example of it that the
 * spec runs; matched without regard to case, against the error's code, type and message. Only for answers that are not 429:
 * "request too large … tokens per min" is a rate limit.
 */
export const OVERFLOW_PHRASES: readonly { source: string; phrase: RegExp; example: string }[] = [
  { source: 'OpenAI (code)', phrase: /context_length_exceeded/, example: 'context_length_exceeded' },
  {
    source: 'OpenAI, vLLM, OpenRouter, Azure',
    phrase: /maximum context length/,
    example: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9041 tokens.",
  },
  {
    source: 'OpenAI Responses',
    phrase: /exceeds the context window/,
    example: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
  {
    source: 'OpenAI',
    phrase: /input tokens exceed the configured limit/,
    example: 'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300011 tokens.',
  },
  { source: 'Anthropic', phrase: /prompt is too long/, example: 'prompt is too long: 208310 tokens > 200000 maximum' },
  {
    source: 'Anthropic',
    phrase: /exceed context limit/,
    example:
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
  },
  {
    source: 'Anthropic (413)',
    phrase: /request_too_large/,
    example: 'request_too_large: Request exceeds the maximum size',
  },
  {
    source: 'Google',
    phrase: /input token count.{0,40}exceeds the maximum/,
    example: 'The input token count (1099042) exceeds the maximum number of tokens allowed (1048576).',
  },
  { source: 'Bedrock', phrase: /input is too long/, example: 'Input is too long for requested model.' },
  {
    source: 'vLLM',
    phrase: /longer than the maximum model length/,
    example: 'The decoder prompt (length 5021) is longer than the maximum model length of 4096.',
  },
  {
    source: 'llama.cpp',
    phrase: /exceeds? the available context size|exceed_context_size_error/,
    example: 'the request exceeds the available context size (4096 tokens), try increasing it',
  },
  {
    source: 'LM Studio',
    phrase: /greater than the context length/,
    example: 'The number of tokens to keep from the initial prompt is greater than the context length.',
  },
  { source: 'Ollama', phrase: /input length exceeds/, example: 'the input length exceeds the context length' },
  {
    source: 'Groq',
    phrase: /reduce the length of the (?:messages|prompt)/,
    example: 'Please reduce the length of the messages or completion.',
  },
  {
    source: 'Mistral',
    phrase: /too large for model with \d+ maximum context/,
    example: 'Prompt contains 40002 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  },
  {
    source: 'Together, text-generation-inference',
    phrase: /`?inputs`? tokens \+ `?max_new_tokens`? must be/,
    example: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens',
  },
  {
    source: 'Cohere',
    phrase: /too many tokens/,
    example: 'too many tokens: total number of tokens in the prompt exceeds the limit of 128000',
  },
  {
    source: 'xAI',
    phrase: /maximum prompt length is/,
    example: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  },
  {
    source: 'Copilot',
    phrase: /prompt token count.{0,40}exceeds the limit/,
    example: 'prompt token count of 140021 exceeds the limit of 128000',
  },
  {
    source: 'Moonshot',
    phrase: /exceeded model token limit/,
    example: 'Invalid request: Your request exceeded model token limit: 262144',
  },
  {
    source: 'MiniMax',
    phrase: /context window exceeds limit/,
    example: 'invalid params, context window exceeds limit',
  },
];

export const isOverflow = (text: string): boolean =>
  OVERFLOW_PHRASES.some(({ phrase }) => phrase.test(text.toLowerCase()));
