// Reads a relayer's status: its account at the head, and its counts in the store.

import { type Chain, ChainUnavailable } from '../../chain/chain.ts'
import type { ForeignPending } from '../../domain/pooled.ts'
import type { Relayer } from '../../domain/relayer.ts'
import { confirmedAtOf, pendingIn } from '../../domain/transaction.ts'
import type { Nonce, TimestampMs, Wei } from '../../domain/units.ts'
import type { Reads } from '../../store/store.ts'
import { readNodes } from '../read-nodes.ts'
import { readForeignPending } from './read-foreign-pending.ts'

export type ChainOf = (relayer: Pick<Relayer, 'id' | 'network'>) => Chain

export interface RelayerStatus {
  readonly balance: Wei
  readonly nonce: Nonce
  readonly pending: number
  readonly foreignPending?: ForeignPending
  /** When the newest confirmed transaction was confirmed. */
  readonly lastConfirmedAt?: TimestampMs
}

/** Throws NODE_UNAVAILABLE when no node of the network answers. */
export async function readStatus(reads: Reads, chainOf: ChainOf, relayer: Relayer): Promise<RelayerStatus> {
  const [account, counts, confirmed, foreignPending] = await Promise.all([
    readAccount(chainOf, relayer),
    reads.counts(relayer.id),
    reads.transactions(relayer.id, { status: 'confirmed' }, { page: 1, perPage: 1 }),
    readNodes(relayer, async () => readForeignPending(reads, chainOf(relayer), relayer)),
  ])
  const [newest] = confirmed.items
  const lastConfirmedAt = newest && confirmedAtOf(newest)
  return {
    ...account,
    pending: pendingIn(counts),
    ...(foreignPending && { foreignPending }),
    ...(lastConfirmedAt !== undefined && { lastConfirmedAt }),
  }
}

async function readAccount(chainOf: ChainOf, relayer: Relayer): Promise<{ balance: Wei; nonce: Nonce }> {
  const nothing = {
    live: [],
    inclusionBlocks: [],
    estimates: [],
    market: false,
    delegation: false,
    pendingNonce: false,
  }
  return readNodes(relayer, async () => {
    const { balance, nonce } = await chainOf(relayer).observe({
      ...nothing,
      address: relayer.address,
      nonce: 'now',
      spentBelow: 0,
      balance: 'now',
    })
    if (balance === undefined) throw new ChainUnavailable('the balance could not be read')
    return { balance, nonce }
  })
}
