// What a key may see: relayers by its limits, and entities by the relayers that name them.
import type { RelayerId } from '../../domain/ids.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { Page, PageRequest } from '../../store/list-port.ts'
import type { Reads } from '../../store/store.ts'
import type { Principal } from './authenticate.ts'

export function visibleRelayers(
  reads: Reads,
  principal: Principal | undefined,
  page: PageRequest,
): Promise<Page<Relayer>> {
  return principal?.relayers ? theseRelayers(reads, principal.relayers, page) : reads.relayers(page)
}

/** The relayers that a key is bound to: it sees no others. */
async function theseRelayers(reads: Reads, ids: readonly RelayerId[], page: PageRequest): Promise<Page<Relayer>> {
  const start = (page.page - 1) * page.perPage
  const read = await Promise.all([...ids].sort().map((id) => reads.relayer(id)))
  const known = read.filter((relayer) => relayer !== undefined)
  return { items: known.slice(start, start + page.perPage), total: known.length }
}

/** Whether the key sees the entity with this id; a network's id is its name. */
type InSight = (id: string) => boolean

export async function inSight(
  reads: Pick<Reads, 'relayer'>,
  principal: Principal | undefined,
  usedBy: (relayer: Relayer) => string | undefined,
): Promise<InSight> {
  if (principal && !principal.relayers) return () => true
  const relayers = await Promise.all((principal?.relayers ?? []).map((id) => reads.relayer(id)))
  const used = new Set(relayers.map((relayer) => relayer && usedBy(relayer)))
  return (id) => used.has(id)
}
