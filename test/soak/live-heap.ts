import { readFileSync } from 'node:fs';
import { WebSocket, type MessageEvent } from 'undici';

/** For `NODE_OPTIONS` of a process whose heap is to be asked about. */
export const INSPECTED = '--inspect=127.0.0.1:0';

/**
 * Bytes of the heap that a process needs: in use after a collection. What it takes of the system says little beside: V8 collects when it
 * pleases, the later the faster the machine is.
 * @param log its log, which says where its inspector listens
 */
export async function liveHeapOf(log: string): Promise<number> {
  const address = /Debugger listening on (ws:\S+)/.exec(readFileSync(log, 'utf8'))?.[1];
  if (address === undefined) throw new Error(`${log} names no inspector: was the process started with ${INSPECTED}?`);
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const ask = async (method: string): Promise<Record<string, unknown>> => {
    const answer = once(socket, 'message');
    socket.send(JSON.stringify({ id: 1, method }));
    return (JSON.parse(String(((await answer) as MessageEvent).data)) as { result: Record<string, unknown> }).result;
  };
  await ask('HeapProfiler.collectGarbage');
  const { usedSize } = await ask('Runtime.getHeapUsage');
  socket.close();
  return Number(usedSize);
}

function once(socket: WebSocket, type: 'open' | 'message'): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.addEventListener(type, resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('the inspector hung up')), { once: true });
  });
}
