// Which hosts the nodes of networks may have, where the operator limits them: a client that may change endpoints chooses a URL
// that this machine calls.
import { guardAddresses } from './guard-addresses.ts'

export interface RpcHostRules {
  /** Host names and addresses, in any letter case. Empty: all. */
  readonly allowed: readonly string[]
  /** Whether internal addresses, and names that lead to them by their form, are refused. */
  readonly blocksInternal: boolean
}

/** The reason to refuse an endpoint by the host of its URL. A name is not resolved. */
export type RefuseRpcHost = (url: URL) => string | undefined

export function guardRpcHosts({ allowed, blocksInternal }: RpcHostRules): RefuseRpcHost {
  const names = allowed.map(plainHost)
  const guard = guardAddresses([])
  return (url) => {
    const host = plainHost(url.hostname)
    if (names.length > 0 && !names.includes(host)) return 'has a host that is not in RPC_ALLOWED_HOSTS'
    const isInternal = host.endsWith('.internal') || guard.refusalOf(url) !== undefined
    return blocksInternal && isInternal ? 'has an internal host, and RPC_BLOCK_PRIVATE_IPS refuses those' : undefined
  }
}

function plainHost(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$|\.$/g, '')
}

const anyInternal = guardAddresses([])

/** Never more of the URL, which may hold a key. On loopback and private addresses each port may be a node of its own. */
export function hostOf(url: string): string {
  const parsed = new URL(url)
  return anyInternal.refusalOf(parsed) === undefined ? parsed.hostname : parsed.host
}
