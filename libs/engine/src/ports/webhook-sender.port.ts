/** A POST to an address that somebody else named, behind the guard of addresses. Redirects are answers, never followed. */
export interface WebhookSender {
  /** Why this address can never be used, as the end of a sentence; null: it may be tried. */
  refusal(url: string): Promise<string | null>;
  post(request: {
    url: string;
    headers: Readonly<Record<string, string>>;
    body: string;
    timeoutMs: number;
    signal: AbortSignal;
  }): Promise<WebhookAnswer>;
}

export type WebhookAnswer =
  | { kind: 'answered'; status: number; retryAfterMs: number | null; excerpt: string }
  /** No answer: refused address, no connection, too slow. */
  | { kind: 'unreachable'; detail: string };
