/** One server-sent event. `id` null: it does not move the place to go on from. */
export type Frame = { readonly event: string; readonly id: string | null; readonly data: string };

/** Frames of a `text/event-stream` body, comments left out. Ends when the body does. */
export async function* readFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const frame = frameOf(block);
      if (frame !== null) yield frame;
    }
  }
}

function frameOf(block: string): Frame | null {
  let event = 'message';
  let id: string | null = null;
  const data: string[] = [];
  for (const field of block.split(/\r?\n/)) {
    const colon = field.indexOf(':');
    if (colon === 0) continue;
    const name = colon === -1 ? field : field.slice(0, colon);
    const value = colon === -1 ? '' : field.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    if (name === 'id') id = value;
    if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { event, id, data: data.join('\n') };
}
