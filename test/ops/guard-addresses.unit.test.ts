// Which addresses requests to URLs of somebody else's choice may go to, however they are written or found.
import { expect, test } from 'vitest'
import { AddressRefused, guardAddresses } from '../../src/ops/guard-addresses.ts'

const refused = 'its host is an internal address'

test.each([
  ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['100.64.0.1', '169.254.169.254', '192.0.0.192', '198.18.0.1', '198.51.100.7', '203.0.113.9', '192.0.2.1'],
  ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
  // As URLs may write IPv4: one number, hexadecimal, octal, fewer parts.
  ...['2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '127.1', '0', '0xa9fea9fe', '2852039166'],
  ...['[::1]', '[::]', '[fe80::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[fec0::1]', '[2001:db8::1]'],
  // This machine by name (RFC 6761).
  ...['localhost', 'LocalHost', 'localhost.', 'hooks.localhost', 'hooks.localhost.'],
  // IPv4 inside IPv6: mapped, compatible, NAT64 with both prefixes, 6to4, Teredo, ISATAP's link-local form.
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:10.0.0.1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['[64:ff9b::8.8.8.8]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2001::1]', '[fe80::5efe:7f00:1]'],
  ...['[::ffff:0:127.0.0.1]', '[100::1]', '[3fff::1]', '[5f00::1]', '[2001:0:7f00:1::]'],
  // Azure's wire server, which looks public.
  ...[
    '168.63.129.16',
    '2822734096',
    '0xa83f8110',
    '0250.077.0201.020',
    '168.63.33040',
    '168.4161808',
    '168.63.129.16.',
  ],
  ...[
    '[::ffff:168.63.129.16]',
    '[::ffff:a83f:8110]',
    '[::a83f:8110]',
    '[64:ff9b::a83f:8110]',
    '[64:ff9b:1::a83f:8110]',
  ],
  ...['[2002:a83f:8110::]', '[2001:0:a83f:8110::1]', '[2001:0:4136:e378:8000:63bf:57c0:7eef]'],
  // Other services of clouds: Alibaba, Oracle, AWS over IPv6, Google over IPv6, AWS's tasks, Tencent, Scaleway.
  ...['100.100.100.200', '192.0.0.192', '[fd00:ec2::254]', '[fd00:ec2::23]', '[fd20:ce::254]', '169.254.170.2'],
  ...['169.254.0.23', '169.254.42.42', '[fd00:42::42]', '[::ffff:100.100.100.200]', '[2002:6464:64c8::]'],
  // ISATAP with a prefix that is globally routed.
  ...['[2606:4700::5efe:7f00:1]', '[2606:4700::200:5efe:a83f:8110]', '[2606:4700::5efe:10.0.0.1]'],
])('%s is refused', (host) => {
  expect(guardAddresses([]).refusalOf(new URL(`http://${host}/`))).toBe(refused)
})

test.each([
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.0.1',
  '[2606:4700::1111]',
  '[::ffff:8.8.8.8]',
  '[2606:4700::5efe:8.8.8.8]',
  '[2606:4700::5efd:7f00:1]',
  '168.63.129.15',
  '168.63.129.17',
  'example.com',
])('%s is not refused by its name', (host) => {
  expect(guardAddresses([]).refusalOf(new URL(`https://${host}/`))).toBeUndefined()
})

test('what the operator allows may be reached, and no more than that', () => {
  const guard = guardAddresses(['10.1.0.0/16', '127.0.0.1', 'fd00::/8', 'Hooks.internal'])
  for (const host of ['10.1.255.1', '127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '[fd12::1]', 'hooks.internal']) {
    expect(guard.refusalOf(new URL(`http://${host}/`)), host).toBeUndefined()
  }
  for (const host of ['10.2.0.1', '127.0.0.2', '[fc00::1]', '[::1]']) {
    expect(guard.refusalOf(new URL(`http://${host}/`)), host).toBe(refused)
  }
})

test.each([{ all: true }, { all: false }])(
  'a name is looked up once, and refused where it leads inside: %j',
  async (options) => {
    const find = (allowed: string[], name = 'localhost') =>
      new Promise<unknown>((resolve) => {
        guardAddresses(allowed).lookup(name, options, (error, address) => resolve(error ?? address))
      })
    expect(await find([])).toBeInstanceOf(AddressRefused)
    const addresses = options.all
      ? expect.arrayContaining([expect.objectContaining({ address: expect.any(String) })])
      : expect.any(String)
    expect(await find(['localhost'])).toEqual(addresses)
    expect(await find(['127.0.0.0/8', '::1'])).toEqual(addresses)
    expect(await find([], 'nothing.invalid')).toMatchObject({ code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) })
  },
)
