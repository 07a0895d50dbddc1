// PUT and DELETE of the pause of a network: a mark of its own, in force for all of its relayers once the commit is there.
//
// The commit changes the row of each relayer under its lock. What an owner or a send committed before was there first; what comes
// later finds the mark. So nothing binds a nonce after the answer, on any replica of this release.
import { allowed, type Requester } from '../../domain/audit.ts'
import { networkNotFound } from '../../domain/errors.ts'
import type { NetworkPause } from '../../domain/pause.ts'
import type { NetworkSettings } from '../../domain/settings.ts'
import type { CommandContext } from '../context.ts'
import { type ManagementContext, takeEffect } from '../management.ts'

/** Another pause replaces the mark: its time, its key and its note. Throws NETWORK_NOT_FOUND. */
export async function pauseNetwork(
  context: ManagementContext,
  name: string,
  note: string | undefined,
  requester: Requester,
): Promise<NetworkSettings> {
  const pause = { at: context.clock.now(), by: requester.keyId, ...(note !== undefined && { note }) }
  const network = networkOf(context, name)
  await storeNetworkPause(context, name, pause, requester)
  await takeEffect(context)
  return network
}

/** Relayers that were paused themselves stay paused. Changes nothing if the network is not paused. Throws NETWORK_NOT_FOUND. */
export async function resumeNetwork(
  context: ManagementContext,
  name: string,
  requester: Requester,
): Promise<NetworkSettings> {
  const network = networkOf(context, name)
  await storeNetworkPause(context, name, undefined, requester)
  await takeEffect(context)
  return network
}

/** `pause` undefined lifts it. */
export async function storeNetworkPause(
  { store, clock, wake }: CommandContext,
  name: string,
  pause: NetworkPause | undefined,
  requester: Requester,
): Promise<void> {
  const changed = await store.commit(async (session) => {
    // This comes first: a relayer that is created meanwhile is either marked here, or finds the mark.
    await session.raiseRevision()
    session.recordAudit(allowed(requester, clock.now(), { subjectId: name }))
    return session.markNetwork(name, pause)
  })
  for (const id of changed) wake(id)
}

function networkOf({ registry }: ManagementContext, name: string): NetworkSettings {
  const network = registry.networks().find((each) => each.name === name)
  if (!network) throw networkNotFound(name)
  return network
}
