// PATCH of a network: stores an overlay on the file's settings. The nodes are replaced while the relayers continue.

import { allowed, type Requester } from '../../domain/audit.ts'
import { networkNotFound, RescindError } from '../../domain/errors.ts'
import type { ProfileOverrides } from '../../domain/profile.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { NetworkSettings } from '../../domain/settings.ts'
import { refusalOfSkipping } from '../../domain/skip-beside-reserve.ts'
import { type NetworkPatch, patchedNetwork } from '../../registry/entities.ts'
import { relayersMax } from '../../registry/registry.ts'
import { networkFromEntity, networkToEntity } from '../../registry/stored-entities.ts'
import { type ManagementContext, refuseEndpoints, requireKey, takeEffect } from '../management.ts'

/** Null returns a member, or a field of the profile, to the file's value. */
type NetworkChange = { readonly [K in keyof Omit<NetworkPatch, 'profile'>]?: NetworkPatch[K] | null } & {
  readonly profile?: ProfileChange | null
}

export type ProfileChange = { readonly [K in keyof ProfileOverrides]?: ProfileOverrides[K] | null }

/** Throws NETWORK_NOT_FOUND, INVALID_REQUEST, STORAGE_KEY_MISSING. */
export async function updateNetwork(
  context: ManagementContext,
  name: string,
  change: NetworkChange,
  requester: Requester,
): Promise<NetworkSettings> {
  const { store, registry, vault } = context
  const inFile = registry.file.networks.find((network) => network.name === name)
  if (!inFile) throw networkNotFound(name)
  if (change.rpcUrls) refuseEndpoints(context, 'rpc_urls', change.rpcUrls)
  if (change.rpcUrls) requireKey(context, 'rpc_urls')
  // A read after the commit could fail.
  const { items } = await store.reads.relayers({ page: 1, perPage: relayersMax })
  const using = items.filter((relayer) => relayer.network === name)
  const overlay = await store.commit(async (session) => {
    await session.raiseRevision()
    const known = await session.entity('network', name)
    const next = applied(known ? networkFromEntity(vault, known) : {}, change)
    if (change.profile) refuseBeside(patchedNetwork(inFile, next, undefined), using)
    if (Object.keys(next).length === 0) await session.removeEntity('network', name)
    else await session.saveEntity(networkToEntity(vault, name, next))
    session.recordAudit(allowed(requester, context.clock.now(), { subjectId: name }))
    return next
  })
  await takeEffect(
    context,
    using.map(({ id }) => id),
  )
  const { shown } = registry.networks().find((network) => network.name === name) ?? inFile
  return patchedNetwork(inFile, overlay, shown)
}

/** Throws INVALID_REQUEST where a relayer's policy does not fit the network as it would be. */
function refuseBeside(network: NetworkSettings, relayers: readonly Relayer[]): void {
  const skipping = relayers.find(({ policies }) => refusalOfSkipping(policies, network) !== undefined)
  if (!skipping) return
  const why = `the policy skip_unfunded of relayer "${skipping.id}" ${refusalOfSkipping(skipping.policies, network)}`
  throw new RescindError('INVALID_REQUEST', `profile.reserve_balance: ${why}`)
}

/** A merge patch (RFC 7396): its nulls are removed, also those inside the profile. */
function applied(before: NetworkPatch, { profile, ...change }: NetworkChange): NetworkPatch {
  const { profile: beforeProfile, ...rest } = before
  const fields = profile === null ? {} : withoutNulls({ ...beforeProfile, ...profile })
  const isEmpty = Object.keys(fields).length === 0
  // A member that is not null has the type of the patch.
  return { ...withoutNulls({ ...rest, ...change }), ...(!isEmpty && { profile: fields }) } as NetworkPatch
}

function withoutNulls(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))
}
