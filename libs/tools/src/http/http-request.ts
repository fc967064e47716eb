import type { HttpMethod } from '#libs/domain';

/** A request that is ready to be sent. Header names in lower case. */
export type HttpRequest = { method: HttpMethod; url: URL; headers: Map<string, string>; body: string | null };
