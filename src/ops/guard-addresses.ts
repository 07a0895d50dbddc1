// Guards requests to URLs that clients and receivers choose: they reach public addresses, and those that the operator
// allows.
import { type LookupAddress, type LookupOptions, lookup as resolve } from 'node:dns'
import { BlockList, isIP } from 'node:net'

/** The form of `dns.lookup`, as sockets call it. */
type Lookup = (
  hostname: string,
  options: LookupOptions,
  done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void

export interface AddressGuard {
  /** The reason to refuse the URL by its host alone; undefined if that depends on its addresses. */
  refusalOf(url: URL): string | undefined
  /**
   * Resolves the host and refuses addresses that are not allowed. A socket connects to exactly the checked addresses.
   */
  readonly lookup: Lookup
}

export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/**
 * IPv4 by the registry of special-purpose addresses (RFC 6890) and multicast: this network, private, shared (RFC 6598),
 * loopback, link-local with the metadata of clouds, protocol assignments, documentation, 6to4 relays, benchmarks,
 * reserved and broadcast.
 */
const internal4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  // Azure's wire server: public by its number, and it gives each machine its certificates and settings.
  '168.63.129.16/32',
]
/** Global unicast is the public part of IPv6; everything else (loopback, local, multicast, NAT64) is not. */
const global6 = ['2000::/3']
/**
 * Exceptions in global unicast: protocol assignments with Teredo, documentation, and 6to4, which carries any IPv4
 * address.
 */
const internal6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const isInternal4 = listOf(internal4)
const isInternal6 = listOf(internal6)
const isGlobal6 = listOf(global6)

/** `allowed`: host names, addresses and CIDR ranges that may be reached although they are internal. */
export function guardAddresses(allowed: readonly string[]): AddressGuard {
  const ranges = allowed.filter((each) => isIP(each.split('/')[0] ?? '') !== 0)
  const names = new Set(allowed.filter((each) => !ranges.includes(each)).map((name) => name.toLowerCase()))
  const mayBeReached = listOf(ranges)

  function mayReach(address: string): boolean {
    const plain = plainOf(address)
    if (isIP(plain) === 4) return mayBeReached.check(plain) || !isInternal4.check(plain)
    if (isIP(plain) !== 6) return false
    if (mayBeReached.check(plain, 'ipv6')) return true
    const inside = isatapOf(plain)
    if (inside !== undefined && !mayReach(inside)) return false
    return isGlobal6.check(plain, 'ipv6') && !isInternal6.check(plain, 'ipv6')
  }

  return {
    refusalOf(url) {
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (names.has(host.toLowerCase())) return undefined
      // A name of this machine (RFC 6761 §6.3).
      const address = /^(.+\.)?localhost\.?$/i.test(host) ? '127.0.0.1' : host
      return isIP(address) === 0 || mayReach(address) ? undefined : 'its host is an internal address'
    },
    lookup(hostname, options, done) {
      resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error) return done(error, [])
        // One internal address is enough to refuse: the socket chooses among them.
        const refused = !names.has(hostname.toLowerCase()) && !found.every(({ address }) => mayReach(address))
        if (refused) return done(new AddressRefused('its host resolves to an internal address'), [])
        const [first] = found
        if (options.all === true) done(null, found)
        else if (first) done(null, first.address, first.family)
        else done(new Error('its host has no address'), [])
      })
    },
  }
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/** Removes a zone, and turns an IPv4 address in IPv6 form (RFC 4291 §2.5.5.2) into IPv4. */
function plainOf(address: string): string {
  const bare = address.split('%')[0] ?? ''
  if (isIP(bare) !== 6) return bare
  const written = new URL(`http://[${bare}]/`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(written)
  if (!mapped) return written
  const [high = 0, low = 0] = mapped.slice(1).map((part) => Number.parseInt(part, 16))
  return dotted(high, low)
}

/**
 * The IPv4 address that an ISATAP address (RFC 5214 §6.1) leads to, whatever its prefix. Undefined for another address.
 * NAT64 with a prefix of one's own (RFC 6052) shows no such mark.
 */
function isatapOf(address: string): string | undefined {
  const groups = groupsOf(address)
  const [, , , , mark = 0, oui, high = 0, low = 0] = groups
  return (mark === 0 || mark === 0x200) && oui === 0x5efe ? dotted(high, low) : undefined
}

/** `address`: as a URL writes it, where `::` stands for the longest run of zeros. */
function groupsOf(address: string): readonly number[] {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
