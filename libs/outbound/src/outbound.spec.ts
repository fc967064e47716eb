import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressRefusal } from './address-refused-error.js';
import type { ResolveHost } from './guarded-lookup.js';
import { matchesHost } from './host-pattern.js';
import { Outbound } from './outbound.js';
import { isPublicAddress } from './public-address.js';

let server: Server;
let port: number;
let requests = 0;
beforeAll(async () => {
  server = createServer((_, response) => {
    requests += 1;
    response.end('reached');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function attempt(url: string, allowsPrivate = false, resolve?: ResolveHost): Promise<string> {
  const outbound = new Outbound({ allowsPrivate: () => allowsPrivate, resolve });
  try {
    const response = await outbound.fetch(new URL(url), {});
    return await response.text();
  } catch (error) {
    return addressRefusal(error)?.code ?? `another error: ${String(error)}`;
  } finally {
    await outbound.close();
  }
}

describe('an address', () => {
  it.each(['8.8.8.8', '93.184.216.34', '2606:4700:4700::1111'])('%s is public', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );
  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    'ff02::1',
    '100::1',
    'localhost',
    '',
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('a request', () => {
  it.each([
    ['dotted', '127.0.0.1'],
    ['short', '127.1'],
    ['decimal', '2130706433'],
    ['hex', '0x7f000001'],
    ['octal', '0177.0.0.1'],
    ['zero', '0'],
    ['IPv6', '[::1]'],
    ['mapped', '[::ffff:127.0.0.1]'],
    ['mapped hex', '[::ffff:7f00:1]'],
    ['fullwidth', '１２７.０.０.１'],
    ['escaped', '%31%32%37.0.0.1'],
    ['by name', 'localhost'],
  ])('to a loopback address (%s) never leaves', async (_, host) => {
    const before = requests;
    expect(await attempt(`http://${host}:${port}/`)).toBe('address_refused');
    expect(requests).toBe(before);
  });

  it('to a name that resolves to a private address among public ones never leaves', async () => {
    const resolve: ResolveHost = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect(await attempt(`http://rebind.example:${port}/`, false, resolve)).toBe('address_refused');
  });

  it('uses the address that was checked: a second answer of the resolver is never asked for', async () => {
    const answers = ['127.0.0.1', '93.184.216.34'];
    let asked = 0;
    const resolve: ResolveHost = async () => [{ address: answers[asked++] ?? '', family: 4 }];
    expect(await attempt(`http://rebind.example:${port}/`, false, resolve)).toBe('address_refused');
    expect(asked).toBe(1);
  });

  it('reaches a private address that the operator allowed', async () => {
    expect(await attempt(`http://127.0.0.1:${port}/`, true)).toBe('reached');
    expect(await attempt(`http://localhost:${port}/`, true)).toBe('reached');
  });
});

describe('a host pattern', () => {
  it.each([
    ['api.example.com', 'https://API.example.com/x', true],
    ['api.example.com', 'https://api.example.com:8443/', true],
    ['api.example.com:8443', 'https://api.example.com/', false],
    ['api.example.com:443', 'https://api.example.com/', true],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://evilexample.com/', false],
    ['example.com', 'https://example.com.evil.org/', false],
    ['example.com', 'https://example.com./', true],
    ['[::1]:8080', 'http://[::1]:8080/', true],
    ['[::1]', 'http://[::1]:9/', true],
    ['127.0.0.1:80', 'http://2130706433/', true],
  ])('%s and %s: %s', (pattern, url, expected) => expect(matchesHost(pattern, new URL(url))).toBe(expected));
});
