import type { ModelFacts } from '../neutral.js';
import { fitItem, type FitRules } from '../shape/fit-item.js';
import { formatProfile, type Repair } from '../shape/index.js';
import { groupItems, toMessage } from '../shape/to-messages.js';
import type { ShapedMessage, ShownItem } from '../view/entry.js';

/** The messages of items in the model's format: what a build does with what its stages show, without a policy around it. */
export function shape(
  items: readonly ShownItem[],
  model: Pick<ModelFacts, 'apiFormat' | 'id' | 'images' | 'documents'>,
): { messages: ShapedMessage[]; repairs: Repair[] } {
  const profile = formatProfile(model.apiFormat);
  const rules: FitRules = { profile, images: model.images, documents: model.documents, modelId: model.id };
  const repairs: Repair[] = [];
  const fitted = items.map((item) => fitItem(item, rules, repairs));
  return { messages: groupItems(fitted, profile, repairs).map((group) => toMessage(group, profile)), repairs };
}
