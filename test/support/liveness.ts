import { waitFor } from './wait-for.js';

type Live = { status: number; body: { status: unknown; stalls?: string[]; code?: string; detail?: string } };

/** What a process says of itself on `/health/live`. */
export async function askLive(url: string): Promise<Live> {
  const response = await fetch(`${url}/health/live`);
  return { status: response.status, body: (await response.json()) as Live['body'] };
}

/** Its answer once it is not live any more. */
export const untilStalled = (url: string): Promise<Live> =>
  waitFor(async () => {
    const answer = await askLive(url);
    return answer.status === 503 ? answer : null;
  });
