// Reads which transactions of a relayer's account wait in pools without being the service's own.
import type { Chain } from '../../chain/chain.ts'
import { type ForeignPending, foreignIn } from '../../domain/pooled.ts'
import type { Relayer } from '../../domain/relayer.ts'
import type { Reads } from '../../store/store.ts'

/** Undefined without any, and where no node counts its pool. */
export async function readForeignPending(
  reads: Pick<Reads, 'standing' | 'transactionByNonce' | 'hasAttempt'>,
  chain: Pick<Chain, 'pooled'>,
  { id, address }: Pick<Relayer, 'id' | 'address'>,
): Promise<ForeignPending | undefined> {
  const pooled = await chain.pooled(address)
  if (!pooled) return undefined
  const { bound } = await reads.standing(id)
  return foreignIn(pooled, {
    held: new Set(bound.flatMap(({ nonce }) => (nonce === undefined ? [] : [nonce]))),
    async isOurs(nonce, hash) {
      if (hash !== undefined) return reads.hasAttempt(id, nonce, hash)
      return (await reads.transactionByNonce(id, nonce)) !== undefined
    },
  })
}
