import { matchesHost, type Outbound } from '#libs/outbound';
import { readResponse } from '../http/read-response.js';
import { safeUrl } from '../http/render-url.js';
import { sendRequest } from '../http/send-request.js';
import { toolError } from '../results/tool-error.js';
import type { BuiltinTool } from './builtin-tool.js';

/** Reads from hosts that the operator lists (`http.http_request_hosts`), also behind redirects. Without a list there is no such tool. */
export function httpRequest(outbound: Outbound, hosts: readonly string[]): BuiltinTool {
  return {
    name: 'http_request',
    description: `Reads a web address with GET. Only these hosts can be read: ${hosts.join(', ')}.`,
    parameters: {
      type: 'object',
      required: ['url'],
      additionalProperties: false,
      properties: {
        url: { type: 'string', maxLength: 8_000, description: 'Address that starts with https:// or http://.' },
      },
    },
    effect: 'read_only',
    primaryArgument: 'url',
    async run({ args, signal }) {
      const text = typeof args['url'] === 'string' ? args['url'] : '';
      if (!URL.canParse(text)) return toolError('url is not an address. It must start with https:// or http://.');
      const target = safeUrl(new URL(text));
      if (!target.ok) return toolError(`${target.detail}.`);
      const request = {
        method: 'GET' as const,
        url: target.url,
        headers: new Map([['user-agent', 'weir']]),
        body: null,
      };
      const refuse = (url: URL): string | null =>
        hosts.some((pattern) => matchesHost(pattern, url))
          ? null
          : `${url.host} is not one of the hosts that can be read: ${hosts.join(', ')}`;
      const sent = await sendRequest(outbound, request, { refuse, mayRepeat: true, signal });
      return sent.ok ? readResponse(sent.response, 'GET') : toolError(`${sent.detail}.`, { retryable: sent.retryable });
    },
  };
}
