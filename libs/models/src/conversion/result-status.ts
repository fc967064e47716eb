import type { NeutralMessage } from '#libs/context';

type Status = Extract<NeutralMessage, { role: 'tool' }>['status'];

/** Results that say themselves what they are: errors of our tools, placeholders and repairs of the context. */
const SAYS_STATUS = /^\s*(?:error\b|\[(?:error|denied|cancelled|interrupted|masked|shortened))/i;

/** For providers that have no field for the status of a result: its text says it. */
export function withStatus(status: Status, text: string): string {
  return status === 'ok' || SAYS_STATUS.test(text) ? text : `[${status}] ${text}`;
}
