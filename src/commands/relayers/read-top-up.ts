// Reads the payment after which a relayer's queue would go on, at the prices that this process last read. It calls no node.

import { type TopUp, topUpOf } from '../../domain/decide/queue/top-up.ts'
import type { NetworkPolicy, Relayer } from '../../domain/relayer.ts'
import type { Reads } from '../../store/store.ts'
import { networkMarket } from './network-price.ts'
import type { Overview } from './read-overview.ts'
import type { ChainOf } from './read-status.ts'

/** Of the queue. */
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
  const isShort = conditions.some(
    ({ condition }) => condition === 'balance_short' || condition === 'balance_below_minimum',
  )
  const balance = report?.balance?.wei
  if (!isShort || balance === undefined) return undefined
  const market = networkMarket(chainOf, relayer)
  if (!market) return undefined
  const [work, queue] = await Promise.all([reads.work(relayer.id, 1), reads.queuedSends(relayer.id, countedSendsMax)])
  return work && topUpOf(work, queue, { balance, market }, policyOf(relayer))
}
