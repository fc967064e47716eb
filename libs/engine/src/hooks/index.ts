export { checkHook } from './check-hook.js';
export type * from './hook-record.js';
export { receiveDelivery, type ReceiveResult } from './receive-delivery.js';
