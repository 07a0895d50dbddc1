// X-Forwarded-For, so that one client is one address: proxies write it with the port of the connection (Azure Application Gateway),
// and IPv6 in brackets (RFC 7239 §6 has both for `Forwarded`).
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * Leaves addresses only, before anybody decides which of them to believe. What is no address names nobody, and neither does what
 * stands before it: the proxy that wrote it counts as the client.
 */
export function cleanForwarded({ headers }: IncomingMessage): void {
  const forwarded = headers['x-forwarded-for']
  if (typeof forwarded !== 'string') return
  const addresses = forwarded.split(',').map(addressOf)
  const known = addresses.slice(addresses.lastIndexOf(undefined) + 1)
  if (known.length > 0) headers['x-forwarded-for'] = known.join(', ')
  else delete headers['x-forwarded-for']
}

function addressOf(entry: string): string | undefined {
  const text = entry.trim()
  if (isIP(text) !== 0) return text
  const { bracketed, plain } = /^(?:\[(?<bracketed>[^\]]*)\]|(?<plain>[\d.]+))(?::\d{1,5})?$/.exec(text)?.groups ?? {}
  const address = bracketed ?? plain ?? ''
  return isIP(address) === 0 ? undefined : address
}
