// At start: endpoints that the API stored before the operator limited the hosts of nodes.
import { OperatorError } from '../ops/operator-error.ts'
import type { RefuseRpcHost } from '../ops/rpc-hosts.ts'
import type { Store } from '../store/store.ts'
import { type Registry, relayersMax } from './registry.ts'

/** Throws OperatorError, so that a start fails rather than calls a host that is not allowed. */
export async function refuseStoredHosts(
  { networks, endpointsOf }: Pick<Registry, 'networks' | 'endpointsOf'>,
  { reads }: Pick<Store, 'reads'>,
  refuseHost: RefuseRpcHost,
): Promise<void> {
  const { items } = await reads.relayers({ page: 1, perPage: relayersMax })
  const stored = [
    ...networks().map(({ name, rpcUrls }) => ({ owner: `network "${name}"`, endpoints: rpcUrls })),
    ...items.map(({ id }) => ({ owner: `relayer "${id}"`, endpoints: endpointsOf(id) ?? [] })),
  ]
  const lines = stored.flatMap(({ owner, endpoints }) =>
    endpoints.flatMap(({ url }) => {
      const target = new URL(url.reveal())
      const refusal = refuseHost(target)
      return refusal === undefined
        ? []
        : [
            `${owner}: an endpoint ${refusal} (${target.hostname}); change it through the API before the variable is set`,
          ]
    }),
  )
  if (lines.length > 0) throw new OperatorError(lines.join('\n'))
}
