// The relayers that a key may see, by pages.
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

/** For a key that is bound to some relayers, and sees no others. */
async function theseRelayers(reads: Reads, ids: readonly RelayerId[], page: PageRequest): Promise<Page<Relayer>> {
  const start = (page.page - 1) * page.perPage
  const read = await Promise.all([...ids].sort().map((id) => reads.relayer(id)))
  const known = read.filter((relayer) => relayer !== undefined)
  return { items: known.slice(start, start + page.perPage), total: known.length }
}
