import { Agent, fetch as undiciFetch, type RequestInit, type Response } from 'undici';
import { AddressRefusedError } from './address-refused-error.js';
import { guardedLookup, resolveBySystem, type ResolveHost } from './guarded-lookup.js';
import { isPublicAddress, literalAddress } from './public-address.js';

/** What `fetch` of undici answers: a redirect is an answer like any other. */
export type OutboundResponse = Response;

export type OutboundOptions = {
  /** Which hosts may be reached at private addresses: the operator's word. */
  allowsPrivate(url: URL): boolean;
  /** Without it the system's resolver. */
  resolve?: ResolveHost;
};

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * HTTP to hosts that others named. Each request, and so each redirect that a caller follows, is checked; redirects are
 * never followed here. There is no time limit but that on connecting: callers give a signal.
 */
export class Outbound {
  private readonly guarded: Agent;
  private readonly open: Agent;

  constructor(private readonly options: OutboundOptions) {
    // undici's own timeouts would end long model calls; ours cover waiting and reading alike.
    const limits = { headersTimeout: 0, bodyTimeout: 0 };
    const lookup = guardedLookup(options.resolve ?? resolveBySystem);
    this.guarded = new Agent({ ...limits, connect: { timeout: CONNECT_TIMEOUT_MS, lookup } });
    this.open = new Agent({ ...limits, connect: { timeout: CONNECT_TIMEOUT_MS } });
  }

  /** @throws AddressRefusedError, or a TypeError with it as a cause (see `addressRefusal`), or what `fetch` throws. */
  async fetch(url: URL, init: RequestInit): Promise<OutboundResponse> {
    const isOpen = this.options.allowsPrivate(url);
    // Sockets do not look literal addresses up, so these are checked here.
    if (!isOpen) refuseLiteral(url);
    return undiciFetch(url, { ...init, redirect: 'manual', dispatcher: isOpen ? this.open : this.guarded });
  }

  /**
   * For clients that open sockets of their own: whether they may, as of now. Weaker than `fetch`, since a name may answer
   * differently a moment later. @throws AddressRefusedError, or what the resolver throws
   */
  async check(url: URL): Promise<void> {
    if (this.options.allowsPrivate(url)) return;
    refuseLiteral(url);
    if (literalAddress(url.hostname) !== null) return;
    const addresses = await (this.options.resolve ?? resolveBySystem)(url.hostname);
    if (addresses.some(({ address }) => !isPublicAddress(address))) throw new AddressRefusedError(url.hostname);
  }

  /** Ends idle and busy connections. */
  async close(): Promise<void> {
    await Promise.all([this.guarded.destroy(), this.open.destroy()]);
  }
}

function refuseLiteral(url: URL): void {
  const literal = literalAddress(url.hostname);
  if (literal !== null && !isPublicAddress(literal)) throw new AddressRefusedError(url.hostname);
}
