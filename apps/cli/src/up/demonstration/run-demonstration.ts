import type { WeirClient } from '#libs/client';
import type { Logger } from '#libs/platform';
import { largeSession } from './large-session.js';
import { supportChat } from './support-chat.js';
import { unmeasured, type Demonstration, type DemoResult } from './demonstration.js';

/** In the order in which they are shown. To add one: a file beside this one, and a line here. */
export const demonstrations: readonly Demonstration[] = [supportChat, largeSession];

/** Runs all, one after the other; `onResult` gets each result as soon as it is there. */
export async function runDemonstration(
  client: WeirClient,
  options: { readonly logger: Logger; readonly onResult: (result: DemoResult) => void },
): Promise<DemoResult[]> {
  const results: DemoResult[] = [];
  for (const demonstration of demonstrations) {
    const result = await demonstration.run(client).catch((error: unknown) => {
      options.logger.error({ err: error, demonstration: demonstration.name }, 'the demonstration failed');
      return unmeasured(demonstration.name, false);
    });
    options.onResult(result);
    results.push(result);
  }
  return results;
}
