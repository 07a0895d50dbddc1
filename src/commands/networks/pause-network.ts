// PUT and DELETE of the pause of a network: a mark of its own, in force for all of its relayers once the commit is there.
//
// The commit changes the row of each relayer under its lock. What an owner or a send committed before was there first; what comes
// later finds the mark. So nothing binds a nonce after the answer, on any replica of this release.
import { allowed, type Requester } from '../../domain/audit.ts'
import type { NetworkPause } from '../../domain/pause.ts'
import type { CommandContext } from '../context.ts'
import { type ManagementContext, takeEffect } from '../management.ts'

/** Another pause replaces the mark: its time, its key and its note. */
export async function pauseNetwork(
  context: ManagementContext,
  name: string,
  note: string | undefined,
  requester: Requester,
): Promise<void> {
  const pause = { at: context.clock.now(), by: requester.keyId, ...(note !== undefined && { note }) }
  await storeNetworkPause(context, name, pause, requester)
  await takeEffect(context)
}

/** Relayers that were paused themselves stay paused. Changes nothing if the network is not paused. */
export async function resumeNetwork(context: ManagementContext, name: string, requester: Requester): Promise<void> {
  await storeNetworkPause(context, name, undefined, requester)
  await takeEffect(context)
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
