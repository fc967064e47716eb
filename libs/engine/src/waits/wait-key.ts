import { canonicalJson } from '#libs/domain';
import { sha256 } from '../new-event.js';

/** What waits for a signal are found by: a hash, because keys may be of any length and hold anything. */
export const signalWaitKey = (signal: string, key: string): string => sha256(canonicalJson([signal, key]));

/** Name and key as people read them. */
export const signalLabel = (signal: string, key: string): string => `${signal}/${key}`;

/** The wait for a tool's late result. */
export const resultWaitKey = (callNo: number, ordinal: number): string => `result:${callNo}/${ordinal}`;
