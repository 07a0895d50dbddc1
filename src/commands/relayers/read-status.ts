// Reads a relayer's status, balance, price and top-up from the chain and the store.

import { type Chain, ChainUnavailable } from '../../chain/chain.ts'
import { isOfMoney } from '../../domain/condition.ts'
import { defined } from '../../domain/defined.ts'
import { RescindError } from '../../domain/errors.ts'
import type { Market, NetworkPrice } from '../../domain/fees.ts'
import { ofNoTransaction } from '../../domain/observation.ts'
import { type ForeignPending, foreignIn } from '../../domain/pooled.ts'
import { type TopUp, topUpOf } from '../../domain/preview/top-up.ts'
import type { NetworkPolicy, Relayer } from '../../domain/relayer.ts'
import { confirmedAtOf, pendingIn } from '../../domain/transaction.ts'
import type { Nonce, TimestampMs, Wei } from '../../domain/units.ts'
import type { Reads } from '../../store/store.ts'
import { readNodes } from '../read-nodes.ts'
import type { Overview } from './read-overview.ts'

type ChainUser = Pick<Relayer, 'id' | 'network'>
export type ChainOf = (relayer: ChainUser) => Chain

interface RelayerStatus {
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
    ...defined({ foreignPending, lastConfirmedAt }),
  }
}

async function readAccount(chainOf: ChainOf, relayer: Relayer): Promise<{ balance: Wei; nonce: Nonce }> {
  return readNodes(relayer, async () => {
    const { balance, nonce } = await chainOf(relayer).observe({
      ...ofNoTransaction,
      ...{ market: false, delegation: false, pendingNonce: false },
      address: relayer.address,
      nonce: 'now',
      spentBelow: 0,
      balance: 'now',
    })
    if (balance === undefined) throw new ChainUnavailable('the balance could not be read')
    return { balance, nonce }
  })
}

/** Throws NODE_UNAVAILABLE when no node of the network answers. */
export async function readBalance(chainOf: ChainOf, relayer: Relayer): Promise<Wei> {
  return readNodes(relayer, () => chainOf(relayer).balance(relayer.address))
}

/** Undefined before this process has observed the network, and where its file has no such network. */
export function networkPrice(chainOf: ChainOf, relayer: Relayer): NetworkPrice | undefined {
  return lastReading(chainOf, relayer, (chain) => chain.price())
}

/** The market of that price, likewise. */
export function networkMarket(chainOf: ChainOf, relayer: Relayer): Market | undefined {
  return lastReading(chainOf, relayer, (chain) => chain.market())
}

/** Whether they use the same nodes: neither has endpoints of its own. */
export function haveSameNodes(chainOf: ChainOf, one: ChainUser, other: ChainUser): boolean {
  if (one.network !== other.network) return false
  const [chain, another] = [one, other].map((each) => lastReading(chainOf, each, (found) => found))
  return chain !== undefined && chain === another
}

function lastReading<T>(chainOf: ChainOf, relayer: ChainUser, read: (chain: Chain) => T | undefined): T | undefined {
  try {
    return read(chainOf(relayer))
  } catch (error) {
    if (error instanceof RescindError && error.code === 'NODE_UNAVAILABLE') return undefined
    throw error
  }
}

// Reads the payment after which a relayer's queue would go on, at the prices that this process last read. It calls no node.

/** The most sends of the queue that are read. */
export const countedSendsMax = 1_000

export interface TopUpSource {
  readonly reads: Reads
  readonly chainOf: ChainOf
  readonly policyOf: (relayer: Relayer) => NetworkPolicy
}

/** Undefined where no condition is about the balance, and before a balance or a market was read. */
export async function readTopUp(
  { reads, chainOf, policyOf }: TopUpSource,
  { relayer, report, conditions }: Pick<Overview, 'relayer' | 'report' | 'conditions'>,
): Promise<TopUp | undefined> {
  const balance = report?.balance?.wei
  if (!conditions.some(isOfMoney) || balance === undefined) return undefined
  const market = networkMarket(chainOf, relayer)
  if (!market) return undefined
  const [work, queue] = await Promise.all([reads.work(relayer.id, 1), reads.queuedSends(relayer.id, countedSendsMax)])
  return work && topUpOf(work, queue, { balance, market }, policyOf(relayer))
}

// Reads which transactions of a relayer's account wait in pools without being the service's own.

/** Undefined without foreign transactions, and where no node counts its pool. */
export async function readForeignPending(
  reads: Pick<Reads, 'standing' | 'transactionByNonce' | 'hasAttempt'>,
  chain: Pick<Chain, 'pooled'>,
  { id, address }: Pick<Relayer, 'id' | 'address'>,
): Promise<ForeignPending | undefined> {
  const pooled = await chain.pooled(address)
  if (!pooled) return undefined
  const { bound } = await reads.standing(id)
  return foreignIn(pooled, {
    used: new Set(bound.flatMap(({ nonce }) => (nonce === undefined ? [] : [nonce]))),
    async isOurs(nonce, hash) {
      if (hash !== undefined) return reads.hasAttempt(id, nonce, hash)
      return (await reads.transactionByNonce(id, nonce)) !== undefined
    },
  })
}
