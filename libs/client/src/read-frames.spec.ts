import { readFrames, type Frame } from './read-frames.js';

async function framesOf(...chunks: string[]): Promise<Frame[]> {
  async function* body() {
    for (const chunk of chunks) yield new TextEncoder().encode(chunk);
  }
  const frames: Frame[] = [];
  for await (const frame of readFrames(body())) frames.push(frame);
  return frames;
}

describe('frames of an event stream', () => {
  it('are read whatever the chunks are, and comments are left out', async () => {
    const text = ': keep-alive\n\nevent: snapshot\ndata: {"a":1}\n\nevent: event\nid: 1-2\ndata: {"b":"ü"}\n\n';
    const expected = [
      { event: 'snapshot', id: null, data: '{"a":1}' },
      { event: 'event', id: '1-2', data: '{"b":"ü"}' },
    ];
    expect(await framesOf(text)).toEqual(expected);
    expect(await framesOf(...text)).toEqual(expected);
  });

  it('without their end are not read', async () => {
    expect(await framesOf('event: event\nid: 1-2\ndata: {}\n')).toEqual([]);
  });
});
