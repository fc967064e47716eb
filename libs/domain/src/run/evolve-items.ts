import type { EventType } from '../events/event-catalogue.js';
import type { StoredEvent } from '../events/event.js';
import type { ItemState } from './run-state.js';

const ITEM_EVENTS = ['ItemsExpanded', 'ItemStarted', 'ItemEnded', 'ItemsReopened'] as const;

export type ItemEvent = Extract<StoredEvent, { type: (typeof ITEM_EVENTS)[number] }>;

const itemEventTypes: ReadonlySet<EventType> = new Set(ITEM_EVENTS);
export const isItemEvent = (event: StoredEvent): event is ItemEvent => itemEventTypes.has(event.type);

/** The elements of loops after one more event about them. */
export function evolveItems(items: readonly ItemState[], event: ItemEvent): readonly ItemState[] {
  const { stepId, round } = event;
  if (stepId === null) return items;
  const ofLoop = (item: ItemState): boolean => item.stepId === stepId && item.round === round;
  const ofItem = (item: ItemState): boolean => ofLoop(item) && item.item === event.item;
  switch (event.type) {
    case 'ItemsExpanded':
      return [
        ...items.filter((item) => !ofLoop(item)),
        ...event.data.items.map((value, item): ItemState => ({
          stepId,
          round,
          item,
          value,
          status: 'pending',
          output: null,
          error: null,
        })),
      ];
    case 'ItemStarted':
      return items.map((item) => (ofItem(item) ? { ...item, status: 'running' } : item));
    case 'ItemEnded': {
      const { status, output, error } = event.data;
      return items.map((item) => (ofItem(item) ? { ...item, status, output, error } : item));
    }
    case 'ItemsReopened': {
      const { running, pending } = event.data;
      const reopened = new Map<number, ItemState['status']>([
        ...running.map((item) => [item, 'running'] as const),
        ...pending.map((item) => [item, 'pending'] as const),
      ]);
      return items.map((item) => {
        const status = ofLoop(item) ? reopened.get(item.item) : undefined;
        return status === undefined ? item : { ...item, status, output: null, error: null };
      });
    }
  }
}

export function withoutOpenItems(
  items: readonly ItemState[],
  stepId: string | null,
  round: number,
): readonly ItemState[] {
  const isOpen = (item: ItemState): boolean =>
    item.stepId === stepId && item.round === round && (item.status === 'pending' || item.status === 'running');
  return items.some(isOpen) ? items.map((item) => (isOpen(item) ? { ...item, status: 'cancelled' } : item)) : items;
}
