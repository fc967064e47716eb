import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { AddressRefusedError } from './address-refused-error.js';
import { isPublicAddress } from './public-address.js';

export type ResolvedAddress = { address: string; family: number };
export type ResolveHost = (hostname: string) => Promise<ResolvedAddress[]>;

export const resolveBySystem: ResolveHost = (hostname) => systemLookup(hostname, { all: true });

/**
 * What a socket calls to resolve its host: the addresses that it checked are the ones that the socket connects to, so a
 * name that answers differently a moment later gains nothing. One private address among several refuses the name.
 */
export function guardedLookup(resolve: ResolveHost): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const first = addresses[0];
        const refused = addresses.find(({ address }) => !isPublicAddress(address));
        if (refused !== undefined || first === undefined) {
          callback(new AddressRefusedError(hostname), '', 0);
        } else if (options.all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0),
    );
  };
}
