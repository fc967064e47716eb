import type { components } from './openapi.gen.js';

export { createWeirClient, dataOf, type ClientOptions, type WeirClient } from './create-client.js';
export { followRun, type FollowOptions, type RunNews } from './follow-run.js';
export { ServerProblem, ServerUnreachable, type Problem } from './server-problem.js';

/** The shapes of the API by the names of the OpenAPI document. */
export type Api = components['schemas'];
