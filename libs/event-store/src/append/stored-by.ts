import type { NewEvent } from '#libs/domain';
import type { AppendResult, AppendUnit } from '#libs/engine';

/** The events that an append has stored: not those that were there already. */
export function storedBy(units: readonly AppendUnit[], results: readonly AppendResult[]): NewEvent[] {
  return units.flatMap(({ events }, index) => {
    const result = results[index];
    return result?.status === 'appended' && !result.repeated ? events : [];
  });
}
