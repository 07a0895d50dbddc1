// Replaces the anchor of a network, after an operator has compared its chain with an explorer (POST).
import { allowed, type Requester } from '../../domain/audit.ts'
import { networkNotFound } from '../../domain/errors.ts'
import type { NetworkSettings } from '../../domain/settings.ts'
import type { ManagementContext } from '../management.ts'

/** The endpoints' chain gives the next anchor. Throws NETWORK_NOT_FOUND. */
export async function replaceAnchor(
  { store, registry, clock }: Pick<ManagementContext, 'store' | 'registry' | 'clock'>,
  name: string,
  requester: Requester,
): Promise<NetworkSettings> {
  const network = registry.networks().find((each) => each.name === name)
  if (!network) throw networkNotFound(name)
  await store.commit(async (session) => {
    await session.removeAnchor(network)
    session.recordAudit(allowed(requester, clock.now(), { subjectId: name }))
  })
  await registry.anchorReplaced(name)
  return network
}
