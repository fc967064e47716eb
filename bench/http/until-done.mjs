import { sleep } from '../peers/lib/basics.mjs';

/** Until no run is under way at this API. */
export async function untilDone(api, token) {
  for (;;) {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${api.url}/v1/runs?status=queued,running&limit=1`, { headers });
    if (!response.ok) throw new Error(`the list of runs answered ${response.status}: ${await response.text()}`);
    const { data } = await response.json();
    if (data.length === 0) return;
    await sleep(100);
  }
}
