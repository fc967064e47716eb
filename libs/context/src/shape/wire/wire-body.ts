import type { JsonObject } from '#libs/domain';

/**
 * The parts of a provider's body that the context decides, without cache marks. `system` is the prompt alone: where the
 * provider has no place for it (Chat Completions) the adapter sends it as the first message, with the system role.
 */
export type WireBody = { system: string | null; messages: JsonObject[]; tools: JsonObject[] };
