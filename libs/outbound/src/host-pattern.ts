/**
 * Whether a URL's host is what an operator's pattern names: `api.example.com` (any port), `api.example.com:8443`,
 * `*.example.com` (one or more labels in front, not the domain itself), `[::1]:8080`. Case does not count.
 */
export function matchesHost(pattern: string, url: URL): boolean {
  const { host, port } = splitPort(pattern.toLowerCase());
  if (port !== null && port !== effectivePort(url)) return false;
  const hostname = url.hostname.toLowerCase().replace(/\.$/, '');
  return host.startsWith('*.')
    ? hostname.endsWith(host.slice(1)) && hostname.length > host.length - 1
    : hostname === host;
}

function splitPort(pattern: string): { host: string; port: string | null } {
  const match = /^(.*?)(?::(\d{1,5}))?$/.exec(pattern);
  // A colon inside brackets belongs to the address.
  if (pattern.startsWith('[') && pattern.endsWith(']')) return { host: pattern, port: null };
  return { host: match?.[1] ?? pattern, port: match?.[2] ?? null };
}

function effectivePort(url: URL): string {
  if (url.port !== '') return url.port;
  return url.protocol === 'https:' ? '443' : '80';
}
