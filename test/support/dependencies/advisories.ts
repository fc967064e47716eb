/** `fixed`: the first version without it, of each line of versions; older lines than the first are affected. */
export type Advisory = {
  readonly package: string;
  readonly id: string;
  readonly what: string;
  readonly fixed: readonly string[];
};

/**
 * Advisories of production packages that were found by hand (docs/dependencies.md says how), the latest of each package
 * that has many: who is past the last is past the earlier ones. The specification compares them with package-lock.json.
 */
export const advisories: readonly Advisory[] = [
  { package: '@anthropic-ai/sdk', id: 'GHSA-5474-4w2j-mq4c', what: 'memory tool leaves its folder', fixed: ['0.82.0'] },
  { package: '@anthropic-ai/sdk', id: 'CVE-2026-41686', what: 'memory files readable by all', fixed: ['0.91.1'] },
  {
    package: '@fastify/middie',
    id: 'CVE-2026-22031',
    what: 'middleware bypassed by an encoded path',
    fixed: ['9.1.0'],
  },
  {
    package: '@fastify/static',
    id: 'CVE-2026-15074',
    what: 'route guard bypassed by path traversal',
    fixed: ['10.1.1'],
  },
  {
    package: '@fastify/static',
    id: 'CVE-2026-7120',
    what: 'allowedPath bypassed by another spelling',
    fixed: ['10.1.2'],
  },
  {
    package: '@hono/node-server',
    id: 'GHSA-frvp-7c67-39w9',
    what: 'path traversal in serve-static on Windows',
    fixed: ['1.19.15', '2.0.5'],
  },
  {
    package: '@langchain/core',
    id: 'CVE-2025-68665',
    what: 'injection into what load() reads',
    fixed: ['0.3.80', '1.1.8'],
  },
  {
    package: '@modelcontextprotocol/sdk',
    id: 'GHSA-w48q-cv73-mx4w',
    what: 'servers open to DNS rebinding',
    fixed: ['1.24.0'],
  },
  {
    package: '@modelcontextprotocol/sdk',
    id: 'GHSA-345p-7cg4-v4c7',
    what: 'servers mix clients up',
    fixed: ['1.26.0'],
  },
  {
    package: '@nestjs/common',
    id: 'CVE-2024-29409',
    what: 'file types believed by their header',
    fixed: ['10.4.16', '11.0.16'],
  },
  {
    package: '@nestjs/core',
    id: 'CVE-2026-35515',
    what: 'events injected into server-sent events',
    fixed: ['11.1.18'],
  },
  {
    package: '@nestjs/platform-fastify',
    id: 'CVE-2026-2293',
    what: 'middleware bypassed by a path',
    fixed: ['11.1.14'],
  },
  {
    package: '@nestjs/platform-fastify',
    id: 'CVE-2026-33011',
    what: 'middleware bypassed by HEAD',
    fixed: ['11.1.16'],
  },
  {
    package: '@nestjs/platform-fastify',
    id: 'CVE-2026-54281',
    what: 'middleware bypassed by a last slash',
    fixed: ['11.1.24'],
  },
  { package: 'ajv', id: 'CVE-2025-69873', what: 'slow patterns by $data', fixed: ['6.14.0', '8.18.0'] },
  { package: 'body-parser', id: 'CVE-2026-12590', what: 'invalid size limit is no limit', fixed: ['1.20.6', '2.3.0'] },
  {
    package: 'brace-expansion',
    id: 'CVE-2026-69152',
    what: 'memory without bound, after two others',
    fixed: ['1.1.18', '2.1.4', '3.0.6', '5.0.9'],
  },
  { package: 'cross-spawn', id: 'CVE-2024-21538', what: 'slow patterns', fixed: ['6.0.6', '7.0.5'] },
  {
    package: 'express-rate-limit',
    id: 'GHSA-46wh-pxpv-q5gq',
    what: 'limit bypassed by IPv4 in IPv6',
    fixed: ['8.3.1'],
  },
  {
    package: 'fast-uri',
    id: 'CVE-2026-84394',
    what: 'host confusion, after nine others',
    fixed: ['2.4.6', '3.1.7', '4.1.4'],
  },
  { package: 'fastify', id: 'CVE-2026-25223', what: 'validation bypassed by a tab in Content-Type', fixed: ['5.7.2'] },
  { package: 'fastify', id: 'CVE-2026-25224', what: 'memory without bound in sendWebStream', fixed: ['5.7.3'] },
  { package: 'fastify', id: 'CVE-2026-3635', what: 'host taken from untrusted proxies', fixed: ['5.8.3'] },
  {
    package: 'fastify',
    id: 'CVE-2026-33806',
    what: 'validation bypassed by a space in Content-Type',
    fixed: ['5.8.5'],
  },
  { package: 'hono', id: 'CVE-2026-84365', what: 'the last of several', fixed: ['4.13.5'] },
  { package: 'ip-address', id: 'CVE-2026-69192', what: 'addresses misjudged', fixed: ['10.3.1'] },
  { package: 'js-yaml', id: 'CVE-2026-84375', what: 'slow documents (5.x: not known)', fixed: ['4.3.2'] },
  { package: 'js-yaml', id: '5.x, August 2026', what: 'slow documents', fixed: ['5.3.0'] },
  {
    package: 'kysely',
    id: 'CVE-2026-32763',
    what: 'SQL injection by JSON paths (not on Postgres)',
    fixed: ['0.28.12'],
  },
  { package: 'kysely', id: 'CVE-2026-44635', what: 'JSON paths steered by their parts', fixed: ['0.28.17'] },
  { package: 'langsmith', id: 'CVE-2026-25528', what: 'traces sent where a header says', fixed: ['0.4.6'] },
  { package: 'langsmith', id: 'CVE-2026-40190', what: 'prototype pollution', fixed: ['0.5.18'] },
  { package: 'langsmith', id: 'GHSA-rr7j-v2q5-chgv', what: 'streamed tokens not redacted', fixed: ['0.5.19'] },
  { package: 'langsmith', id: 'GHSA-3644-q5cj-c5c7', what: 'public prompts believed', fixed: ['0.6.0'] },
  { package: 'micromatch', id: 'CVE-2024-4067', what: 'slow patterns', fixed: ['4.0.8'] },
  { package: 'path-to-regexp', id: 'GHSA-j3q9-mxjg-w52f', what: 'slow patterns', fixed: ['8.4.0'] },
  { package: 'picomatch', id: 'CVE-2026-33671', what: 'slow patterns', fixed: ['2.3.2', '3.0.2', '4.0.4'] },
  { package: 'qs', id: 'CVE-2025-15284', what: 'arrayLimit bypassed', fixed: ['6.14.1'] },
  { package: 'qs', id: 'CVE-2026-2391', what: 'arrayLimit bypassed by commas', fixed: ['6.14.2'] },
  { package: 'qs', id: 'GHSA-x5fp-wj9c-mxmx', what: 'arrayLimit bypassed again', fixed: ['6.16.0'] },
  { package: 'undici', id: 'CVE-2026-22036', what: 'any number of decompressions', fixed: ['6.23.0', '7.18.0'] },
  { package: 'undici', id: 'CVE-2026-2229', what: 'WebSocket servers end the process', fixed: ['6.24.0', '7.24.0'] },
  { package: 'undici', id: 'CVE-2026-12151', what: 'seven, of June 2026', fixed: ['6.27.0', '7.28.0'] },
  { package: 'undici', id: 'CVE-2026-13697', what: 'five, of July 2026', fixed: ['6.28.0', '7.29.0'] },
  { package: 'uuid', id: 'CVE-2026-41907', what: 'writes past a buffer', fixed: ['14.0.0'] },
  { package: 'yaml', id: 'CVE-2026-33532', what: 'stack overflow by nesting', fixed: ['1.10.3', '2.8.3'] },
];

/** Whether a version comes before the fix: in its own line, or in a line that none was made for. */
export function isAffected(version: string, fixed: readonly string[]): boolean {
  const [major] = parts(version);
  const own = fixed.find((fix) => parts(fix)[0] === major);
  if (own !== undefined) return isBefore(version, own);
  return fixed.every((fix) => (parts(fix)[0] ?? 0) > (major ?? 0));
}

function isBefore(version: string, fix: string): boolean {
  const wanted = parts(fix);
  for (const [index, part] of parts(version).entries())
    if (part !== (wanted[index] ?? 0)) return part < (wanted[index] ?? 0);
  return false;
}

const parts = (version: string): number[] => (version.split('-')[0] ?? '').split('.').map(Number);
