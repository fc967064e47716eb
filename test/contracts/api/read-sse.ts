export type SseFrame = { event: string; id: string | null; data: any };

/** A client of an event stream, as browsers are: it reads frames and remembers the last id. */
export async function openSse(url: string, key: string, lastEventId: string | null = null): Promise<SseClient> {
  const controller = new AbortController();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}`, ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }) },
    signal: controller.signal,
  });
  if (response.status !== 200 || response.body === null)
    throw new Error(`${response.status}: ${await response.text()}`);
  return new SseClient(response.body, controller, response.headers);
}

export class SseClient {
  readonly frames: SseFrame[] = [];
  comments = 0;
  private ended = false;
  private readonly done: Promise<void>;

  constructor(
    body: ReadableStream<Uint8Array>,
    private readonly controller: AbortController,
    readonly headers: Headers,
  ) {
    this.done = this.read(body)
      .catch(() => undefined)
      .then(() => void (this.ended = true));
  }

  get lastId(): string | null {
    return this.frames.findLast((frame) => frame.id !== null)?.id ?? null;
  }

  /** Resolves when the server closed the stream. */
  untilClosed(): Promise<void> {
    return this.done;
  }

  get isClosed(): boolean {
    return this.ended;
  }

  async close(): Promise<void> {
    this.controller.abort();
    await this.done;
  }

  ofType(event: string): SseFrame[] {
    return this.frames.filter((frame) => frame.event === event);
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      blocks.forEach((block) => this.take(block));
    }
  }

  private take(block: string): void {
    if (block.startsWith(':')) {
      this.comments += 1;
      return;
    }
    const fields = new Map(
      block
        .split('\n')
        .map((field): [string, string] => [field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 2)]),
    );
    this.frames.push({
      event: fields.get('event') ?? 'message',
      id: fields.get('id') ?? null,
      data: JSON.parse(fields.get('data') ?? 'null'),
    });
  }
}
