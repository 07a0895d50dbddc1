// The proxy before key services, by the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Every client follows the same rule.
import type { Agent as HttpsAgent } from 'node:https'
import { BlockList, isIP } from 'node:net'
import { Agent, type buildConnector, Dispatcher, EnvHttpProxyAgent } from 'undici'
import { memberOf } from '../ops/member.ts'
import { SignerError } from '../ops/operator-error.ts'

interface Hidden {
  reveal(): string
}

/** URLs of proxies may hold a password. */
export interface Proxies {
  readonly http?: Hidden
  /** The proxy of https URLs; absent: `http` serves both. */
  readonly https?: Hidden
  /** Hosts, each with its subdomains, and with a port of its own or without; `*` for all. */
  readonly noProxy: readonly string[]
}

const neverNames = ['localhost', 'metadata.google.internal']
/** Loopback, link-local with the metadata services of clouds, and the IPv6 address of that of AWS. */
const neverAddresses = new BlockList()
neverAddresses.addSubnet('127.0.0.0', 8)
neverAddresses.addSubnet('169.254.0.0', 16)
neverAddresses.addAddress('::1', 'ipv6')
neverAddresses.addSubnet('fe80::', 10, 'ipv6')
neverAddresses.addAddress('fd00:ec2::254', 'ipv6')

/** `host`: of a URL; an IPv6 address in brackets. */
export function isNeverProxied(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$|\.$/g, '')
  const family = isIP(name)
  if (family === 0) return neverNames.includes(name) || name.endsWith('.localhost')
  return neverAddresses.check(name, family === 6 ? 'ipv6' : 'ipv4')
}

/** undici's rule, and before it the addresses that no proxy can reach. */
export function proxyDispatcher({ http, https, noProxy }: Proxies, tls: buildConnector.BuildOptions = {}): Dispatcher {
  const direct = new Agent({ connect: tls })
  const proxied = new EnvHttpProxyAgent({
    // Empty, so that the library does not read the environment itself.
    httpProxy: http?.reveal() ?? '',
    httpsProxy: (https ?? http)?.reveal() ?? '',
    noProxy: noProxy.join(','),
    connect: tls,
    requestTls: tls,
  })
  return new (class extends Dispatcher {
    override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const isDirect = isNeverProxied(new URL(String(options.origin)).hostname)
      return (isDirect ? direct : proxied).dispatch(options, handler)
    }
  })()
}

/** For the SDK of AWS. Undefined without a proxy for it. Throws SignerError if this Node can't use one there. */
export async function proxyAgent(id: string, { http, https, noProxy }: Proxies): Promise<HttpsAgent | undefined> {
  const proxy = https ?? http
  if (!proxy) return undefined
  const names = noProxy.flatMap((each) => (/^[*.]/.test(each) || isIP(each) ? [each] : [each, `.${each}`]))
  const addresses = ['127.0.0.0-127.255.255.255', '169.254.0.0-169.254.255.255', '::1', 'fd00:ec2::254']
  const { Agent: NodeAgent } = await import('node:https')
  const agent = new NodeAgent({
    ...{ keepAlive: true, maxSockets: 50 },
    proxyEnv: { HTTPS_PROXY: proxy.reveal(), NO_PROXY: [...neverNames, ...addresses, ...names].join(',') },
  })
  // Node 22.21 and 24.5 brought the option. Without it the agent would bypass the proxy.
  if (!knowsProxies()) {
    throw new SignerError(`signer "${id}": a proxy before AWS needs Node 22.21 or 24.5; this is ${process.version}`)
  }
  return agent
}

function knowsProxies(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21)
}

/** For Google's library, whose names without a dot do not cover their subdomains. */
export function gaxiosOptions({ http, https, noProxy }: Proxies): { noProxy: (string | RegExp)[]; proxy?: string } {
  const proxy = noProxy.includes('*') ? undefined : (https ?? http)?.reveal()
  const named = noProxy.flatMap((each) => [each, `.${each.replace(/^\*?\./, '')}`])
  return { noProxy: [...neverUrls, ...named], ...(proxy !== undefined && { proxy }) }
}

/** URLs of the metadata service, loopback and link-local addresses. */
const neverUrls = [
  /^https?:\/\/(?:localhost|metadata\.google\.internal\.?|127\.[\d.]+|169\.254\.[\d.]+)(?::\d+)?\//i,
  /^https?:\/\/\[(?:::1|fe[89ab][\da-f]:[\da-f:]*|fd00:ec2::254)\](?::\d+)?\//i,
]

/** The library requests tokens of the metadata service by a client that all its users share. */
export function keepMetadataDirect(sdk: unknown): void {
  const instance = memberOf(memberOf(sdk, 'gaxios'), 'instance')
  const defaults = memberOf(instance, 'defaults')
  if (typeof defaults === 'object' && defaults) Object.assign(defaults, { noProxy: neverUrls })
}
