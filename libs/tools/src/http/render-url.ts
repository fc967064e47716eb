import { wellFormed } from '#libs/context';
import { parseTemplate, renderText, type ExpressionLanguage, type ExpressionVariables } from '#libs/domain';

export type RenderedUrl = { ok: true; url: URL } | { ok: false; detail: string };

/** Where in an address a value stands; what may stand there and how it is written follows from it. */
type Place = 'base' | 'host' | 'path' | 'query';

/**
 * Expands an address. A value at its very start may be a whole address; in the host only a name; in path and query it is
 * encoded, so that it stays one segment or one value whatever it holds. `.` and `..` segments are refused.
 */
export function renderUrl(template: string, variables: ExpressionVariables, language: ExpressionLanguage): RenderedUrl {
  const parsed = parseTemplate(template);
  if (!parsed.ok) return { ok: false, detail: `url: ${parsed.detail}` };
  let text = '';
  for (const part of parsed.parts) {
    if (part.type === 'text') {
      text += part.text;
      continue;
    }
    const rendered = renderText(`\${${part.source}}`, variables, language);
    if (!rendered.ok) return { ok: false, detail: `url: ${rendered.detail}` };
    const written = write(rendered.text, placeBehind(text));
    if (!written.ok) return written;
    text += written.text;
  }
  return checked(text);
}

function placeBehind(before: string): Place {
  if (before === '') return 'base';
  const scheme = before.indexOf('://');
  const rest = scheme === -1 ? '' : before.slice(scheme + 3);
  if (/[?#]/.test(rest)) return 'query';
  return rest.includes('/') ? 'path' : 'host';
}

function write(value: string, place: Place): { ok: true; text: string } | { ok: false; detail: string } {
  switch (place) {
    case 'base':
      return { ok: true, text: value };
    case 'host':
      if (/^[A-Za-z0-9.-]+$/.test(value)) return { ok: true, text: value };
      return { ok: false, detail: 'url: a value in the host may hold letters, digits, dots and hyphens only' };
    case 'path':
    case 'query':
      return { ok: true, text: encodeURIComponent(wellFormed(value)) };
  }
}

function checked(text: string): RenderedUrl {
  if (!URL.canParse(text)) return { ok: false, detail: 'url: the expanded address is not a URL' };
  const path = text.replace(/[?#].*$/s, '');
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return { ok: false, detail: 'url: the path must not hold . or .. segments' };
  return safeUrl(new URL(text));
}

/** What may be asked at all, also behind a redirect: http or https, no user or password in the address. */
export function safeUrl(url: URL): RenderedUrl {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { ok: false, detail: `url: ${url.protocol}// addresses are not allowed, only http:// and https://` };
  if (url.username !== '' || url.password !== '')
    return { ok: false, detail: 'url: user and password in an address are not allowed; use a header' };
  url.hash = '';
  return { ok: true, url };
}
