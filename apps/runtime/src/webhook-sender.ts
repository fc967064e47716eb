import type { WebhookSender } from '#libs/engine';
import { matchesHost, Outbound, post, type ResolveHost } from '#libs/outbound';

export type ClosableWebhookSender = WebhookSender & { close(): Promise<void> };

/** Webhooks out. `allowedHosts` (`http.allowed_hosts` of weir.yml) may be private, and may be spoken to without TLS. */
export function webhookSender(allowedHosts: readonly string[], resolve?: ResolveHost): ClosableWebhookSender {
  const isAllowed = (url: URL): boolean => allowedHosts.some((pattern) => matchesHost(pattern, url));
  const outbound = new Outbound({ allowsPrivate: isAllowed, resolve });
  return {
    refusal: (text) => {
      if (!URL.canParse(text)) return 'it is not a URL';
      const url = new URL(text);
      if (url.username !== '' || url.password !== '') return 'it must not hold a user or password';
      if (url.protocol === 'https:' || (url.protocol === 'http:' && isAllowed(url))) return null;
      return 'it must begin with https:// (http:// only for hosts in http.allowed_hosts of weir.yml)';
    },
    post: (request) => post(outbound, request),
    close: () => outbound.close(),
  };
}
