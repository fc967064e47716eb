import { STANDARD_WEIGHTS, type NeutralRequest } from '../../libs/context/src/index.js';
import { compareRequests } from '../../libs/context/src/common-prefix.js';
import { toolsChars } from '../../libs/context/src/measure/part-chars.js';
import { countCodePoints } from '../../libs/context/src/index.js';
import { CACHED_READ_PRICE, CACHE_WRITE_PRICE } from './prices.js';
import { charsOf } from './rivals/sizes.js';

/** What a session's calls came to. Chars; costs in units of a plain char of input, `charged` (summaries) in both. */
export type Bill = {
  calls: number;
  chars: number;
  prefixChars: number;
  largest: number;
  charged: number;
  /** With a prompt cache that never expires: read × the chars of the common prefix + write × the rest. */
  cached: number;
  /** Without one: each char at 1. */
  plain: number;
};

export class Ledger {
  private last: NeutralRequest | null = null;
  readonly bill: Bill = { calls: 0, chars: 0, prefixChars: 0, largest: 0, charged: 0, cached: 0, plain: 0 };

  add(request: NeutralRequest, charged: number): number {
    const { bill } = this;
    const chars = headChars(request) + charsOf(request.messages);
    const prefix = this.last === null ? 0 : compareRequests(this.last, request, STANDARD_WEIGHTS).commonPrefixChars;
    this.last = request;
    bill.calls += 1;
    bill.chars += chars;
    bill.prefixChars += prefix;
    bill.largest = Math.max(bill.largest, chars);
    bill.charged += charged;
    bill.cached += CACHED_READ_PRICE * prefix + CACHE_WRITE_PRICE * (chars - prefix) + charged;
    bill.plain += chars + charged;
    return chars;
  }
}

export const headChars = ({ system, tools }: Pick<NeutralRequest, 'system' | 'tools'>): number =>
  countCodePoints(system ?? '') + toolsChars(tools);
