/** Ways to write an address that nobody but the operator may reach; `port` is one where a test listens on the loopback. */
export const refusedAddresses: readonly [name: string, url: (port: number) => string][] = [
  ...hosts('loopback', [
    ...['127.0.0.1', '127.8.8.8', '127.1', '127.0.0.1.', 'localhost', 'LOCALHOST', 'localhost.'],
    ...['2130706433', '017700000001', '0x7f000001', '0177.0.0.1', '0x7f.0.0.0x1', '0', '0.0.0.0'],
    ...['１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1'],
    ...['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
    ...['[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]'],
  ]),
  ...hosts('metadata', [
    ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518'],
    ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[fd00:ec2::254]'],
    ...['100.100.100.200', '192.0.0.192', '168.63.129.16', '[::ffff:168.63.129.16]', 'metadata.private.test'],
  ]),
  ...hosts('private', [
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '100.64.0.1',
      '198.18.0.1',
      '224.0.0.1',
      '240.0.0.1',
    ],
    ...[
      '255.255.255.255',
      '192.0.2.1',
      '[fe80::1]',
      '[fc00::1]',
      '[fec0::1]',
      '[ff02::1]',
      '[2001:db8::1]',
      '[100::1]',
    ],
  ]),
  // Names: one that resolves to a private address, one that resolves to a public and a private one.
  ...hosts('name', ['rebind.private.test', 'half.private.test']),
];

/** Addresses with a user, behind which the real host is hidden; and ports that no HTTP is spoken on. */
export const oddAddresses: readonly [name: string, url: (port: number) => string][] = [
  ['user before a private host', (port) => `http://api.example.com@127.0.0.1:${port}/`],
  ['password before a private host', (port) => `http://api.example.com:443@127.0.0.1:${port}/`],
  ['backslash before a private host', (port) => `http://127.0.0.1:${port}\\@api.example.com/`],
  ['user before a public host', () => 'https://user:pass@api.example.com/'],
  ['mail port', () => 'http://public.test:25/'],
  ['shell port', () => 'http://public.test:22/'],
  ['another scheme', () => 'file:///etc/passwd'],
  ['another scheme of the network', (port) => `gopher://127.0.0.1:${port}/`],
];

/** The resolver that goes with the names above. Public answers lead nowhere in tests. */
export async function resolveTestHost(hostname: string): Promise<{ address: string; family: number }[]> {
  const loopback = { address: '127.0.0.1', family: 4 };
  const outside = { address: '203.0.114.1', family: 4 };
  if (hostname.startsWith('half.')) return [outside, loopback];
  return hostname.endsWith('.private.test') || hostname.toLowerCase().startsWith('localhost') ? [loopback] : [outside];
}

function hosts(kind: string, names: readonly string[]): [string, (port: number) => string][] {
  return names.map((host) => [`${kind} ${host}`, (port) => `http://${host}:${port}/latest/meta-data`]);
}
