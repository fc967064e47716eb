export { isWebhookSecret, mintWebhookSecret, signWebhook } from './signature.js';
export { TEST_EVENT_TYPE } from './webhook-body.js';
export { WebhookCourier } from './webhook-courier.js';
