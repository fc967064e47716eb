import { setTimeout } from 'node:timers/promises';
import type { WebhookSender } from '#libs/engine';
import { AddressRefusedError, matchesHost, Outbound, post, type ResolveHost } from '#libs/outbound';

export type ClosableWebhookSender = WebhookSender & { close(): Promise<void> };

/** Webhooks out. `allowedHosts` (`http.allowed_hosts` of weir.yml) may be private, and may be spoken to without TLS. */
export function webhookSender(allowedHosts: readonly string[], resolve?: ResolveHost): ClosableWebhookSender {
  const isAllowed = (url: URL): boolean => allowedHosts.some((pattern) => matchesHost(pattern, url));
  const outbound = new Outbound({ allowsPrivate: isAllowed, resolve });
  return {
    refusal: async (text) => {
      if (!URL.canParse(text)) return 'it is not a URL';
      const url = new URL(text);
      if (url.username !== '' || url.password !== '') return 'it must not hold a user or password';
      if (url.protocol === 'https:' || (url.protocol === 'http:' && isAllowed(url)))
        return refusedAddress(outbound, url);
      return 'it must begin with https:// (http:// only for hosts in http.allowed_hosts of weir.yml)';
    },
    post: (request) => post(outbound, request),
    close: () => outbound.close(),
  };
}

const MOST_LOOKUP_MS = 2000;

/** As of now; each delivery is checked on its socket again. A name that nobody knows yet, or not in time, is no reason. */
async function refusedAddress(outbound: Outbound, url: URL): Promise<string | null> {
  const late = new AbortController();
  const tooLate = setTimeout(MOST_LOOKUP_MS, null, { signal: late.signal }).catch(() => null);
  const checked = outbound.check(url).then(
    () => null,
    (error: unknown) => (error instanceof AddressRefusedError ? error.message : null),
  );
  return Promise.race([checked, tooLate]).finally(() => late.abort());
}
