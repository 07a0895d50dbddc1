// What a key sees of signers, notifications and networks: everything, or if it is bound to relayers, what these use.
import type { Relayer } from '../../domain/relayer.ts'
import type { Reads } from '../../store/store.ts'
import type { Principal } from './authenticate.ts'

/** Says whether something of this id is in sight; of a network, by its name. */
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
