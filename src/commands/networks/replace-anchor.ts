// Replaces the anchor of a network, after an operator has compared its chain with an explorer (POST).
import { allowed, type Requester } from '../../domain/audit.ts'
import type { NetworkSettings } from '../../domain/settings.ts'
import type { ManagementContext } from '../management.ts'

/** The endpoints' chain gives the next anchor. */
export async function replaceAnchor(
  { store, registry, clock }: Pick<ManagementContext, 'store' | 'registry' | 'clock'>,
  network: Pick<NetworkSettings, 'name' | 'chainId'>,
  requester: Requester,
): Promise<void> {
  await store.commit(async (session) => {
    await session.removeAnchor(network)
    session.recordAudit(allowed(requester, clock.now(), { subjectId: network.name }))
  })
  await registry.anchorReplaced(network.name)
}
