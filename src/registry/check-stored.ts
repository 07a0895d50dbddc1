// At start: refuses, or warns of, what the API stored and the operator's settings no longer allow.
import type { NotificationSettings } from '../domain/settings.ts'
import { refusalOfSkipping } from '../domain/skip-beside-reserve.ts'
import type { AddressGuard } from '../ops/guard-addresses.ts'
import type { Logger } from '../ops/logger.ts'
import { OperatorError } from '../ops/operator-error.ts'
import type { RefuseRpcHost } from '../ops/rpc-hosts.ts'
import type { Vault } from '../ops/vault.ts'
import type { Store } from '../store/store.ts'
import { type Registry, relayersMax } from './registry.ts'

/**
 * Refuses to start without a storage key if the API turned on `presign_cancel` for a relayer: its signed no-ops are sealed. Call it once
 * the file's relayers are stored. Throws OperatorError, so that a start fails rather than a later cancellation.
 */
export async function requireStorageKey({ reads }: Store, vault: Vault): Promise<void> {
  if (vault.canSeal) return
  const { items } = await reads.relayers({ page: 1, perPage: relayersMax })
  const names = items.filter(({ policies }) => policies.presignCancel).map(({ id }) => `"${id}"`)
  if (names.length === 0) return
  throw new OperatorError(
    `the policy presign_cancel of relayer ${names.join(', ')} needs a key to seal signed no-ops with, and STORAGE_ENCRYPTION_KEY is not set; set it to the key of before`,
  )
}

/**
 * Refuses endpoints that the API stored before the operator limited the hosts of nodes. Throws OperatorError, so that a start fails
 * rather than calls a host that is not allowed.
 */
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

/** Warns of a policy that the API stored before the file, or the table of profiles, gave its network a reserve. */
export async function warnOfSkipping(
  { networks }: Pick<Registry, 'networks'>,
  { reads }: Pick<Store, 'reads'>,
  logger: Logger,
): Promise<void> {
  const { items } = await reads.relayers({ page: 1, perPage: relayersMax })
  for (const { id, network, policies } of items) {
    const settings = networks().find(({ name }) => name === network)
    const refusal = settings && refusalOfSkipping(policies, settings)
    if (refusal !== undefined) logger.warn({ relayer_id: id, network }, `the policy skip_unfunded ${refusal}`)
  }
}

/** Warns of notifications whose URL is refused by its host alone, before the first delivery fails. */
export function warnOfRefused(
  notifications: readonly NotificationSettings[],
  guard: Pick<AddressGuard, 'refusalOf'>,
  logger: Logger,
): void {
  for (const { id, url } of notifications) {
    const refusal = guard.refusalOf(new URL(url.reveal()))
    if (refusal === undefined) continue
    logger.warn(
      { notification: id },
      `no event is delivered to this notification: ${refusal}; WEBHOOK_ALLOWED_HOSTS may allow it`,
    )
  }
}
