/** What a fake provider answers next. Tool arguments are sent as the text they are, also broken ones, as far as the wire allows. */
export type FakeAnswer = {
  text?: string;
  thinking?: { text: string; signature: string };
  redactedThinking?: string;
  toolCalls?: { id: string; name: string; arguments: string }[];
  /** In the provider's own words: `stop`, `length`, `content_filter` …; `end_turn`, `max_tokens`, `refusal` … */
  finish?: string;
  /** OpenAI's `message.refusal`. */
  refusal?: string;
  usage?: { input: number; cached?: number; cacheWrite?: number; output: number };
};

export type FakeReply =
  | ({ kind: 'answer' } & FakeAnswer)
  | { kind: 'status'; status: number; headers?: Record<string, string>; body: unknown }
  /** Accepts the request and never answers. */
  | { kind: 'hang' }
  /** Sends the head and about half of the body, then nothing more. */
  | ({ kind: 'stall' } & FakeAnswer)
  /** As `stall`, but the socket is destroyed. */
  | ({ kind: 'cut' } & FakeAnswer)
  /** Ends the body in order, without the end that the format asks for. */
  | ({ kind: 'truncate' } & FakeAnswer)
  /** A stream that turns into an error half-way. */
  | ({ kind: 'stream_error'; error: { type: string; message: string; code?: string } } & FakeAnswer);
