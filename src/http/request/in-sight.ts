// The signers, notifications and networks that a key sees: all of them, or those that its relayers use.
import type { Relayer } from '../../domain/relayer.ts'
import type { Reads } from '../../store/store.ts'
import type { Principal } from './authenticate.ts'

/** Whether the key sees the entity with this id; a network's id is its name. */
export type InSight = (id: string) => boolean

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
