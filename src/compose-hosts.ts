// Which hosts this machine calls on request: those of webhooks, and those of nodes.
import type { Config } from './config/config.ts'
import { type AddressGuard, guardAddresses } from './ops/guard-addresses.ts'
import { guardRpcHosts, type RefuseRpcHost } from './ops/rpc-hosts.ts'
import { refuseStoredHosts } from './registry/refuse-stored-hosts.ts'
import type { Registry } from './registry/registry.ts'
import type { Store } from './store/store.ts'

export interface HostGuards {
  readonly guard: AddressGuard
  readonly refuseRpcHost: RefuseRpcHost
}

/** Throws OperatorError for a stored endpoint that is no longer allowed. */
export async function guardHosts(
  { webhooks, rpcHosts }: Pick<Config, 'webhooks' | 'rpcHosts'>,
  registry: Pick<Registry, 'networks' | 'endpointsOf'>,
  store: Pick<Store, 'reads'>,
): Promise<HostGuards> {
  const rules = rpcHosts ?? { allowed: [], blocksInternal: false }
  const refuseRpcHost = guardRpcHosts(rules)
  if (rules.allowed.length > 0 || rules.blocksInternal) await refuseStoredHosts(registry, store, refuseRpcHost)
  return { guard: guardAddresses(webhooks.allowedHosts), refuseRpcHost }
}
