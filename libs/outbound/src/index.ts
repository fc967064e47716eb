export { AddressRefusedError, addressRefusal } from './address-refused-error.js';
export type { ResolveHost } from './guarded-lookup.js';
export { matchesHost } from './host-pattern.js';
export { Outbound, type OutboundOptions, type OutboundResponse } from './outbound.js';
export { post, type PostAnswer, type PostRequest } from './post.js';
