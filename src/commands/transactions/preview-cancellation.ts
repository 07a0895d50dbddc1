// Previews the effect and the cost of a cancel now, of one transaction or of all. It writes nothing and promises nothing: the next block may
// change it.
import { type Chain, ChainUnavailable } from '../../chain/chain.ts'
import type { Work } from '../../domain/decide/plan/work.ts'
import { type CancellationPreview, previewCancellation as previewOf } from '../../domain/decide/preview-cancellation.ts'
import { previewWindow, type WindowPreview } from '../../domain/decide/preview-window.ts'
import { reserveOf } from '../../domain/decide/queue/funds.ts'
import { countedBalance } from '../../domain/decide/queue/reserve-balance.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { noOpGasLimit } from '../../domain/no-op.ts'
import type { Observation } from '../../domain/observation.ts'
import { isTakenByBulk } from '../../domain/refusals.ts'
import type { NetworkPolicy, Relayer } from '../../domain/relayer.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { type BlockNumber, type Gas, minWei, type Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Reads } from '../../store/store.ts'
import { readNodes } from '../read-nodes.ts'

export interface PreviewContext {
  readonly reads: Reads
  readonly clock: Clock
  readonly chainOf: (relayer: Relayer) => Chain
  readonly policyOf: (relayer: Relayer) => NetworkPolicy
  /** As of the owner's last step; undefined where another process is the owner. */
  readonly windowOf: (relayer: RelayerId) => number | undefined
}

export interface PricedPreview extends CancellationPreview {
  /** Where payments to the account count later: as it counts now. */
  readonly balance: Wei
  /** The gas of all in flight has to fit in it. Absent: the network has no such rule. */
  readonly gasBudget?: Wei
  /** The balance that sends leave for no-ops. */
  readonly reserve: Wei
  /** The block at which the preview holds. */
  readonly block: BlockNumber
  /** Of everything pending only. */
  readonly window?: WindowPreview
}

/** Throws RELAYER_NOT_FOUND, NODE_UNAVAILABLE. */
export async function previewCancellation(context: PreviewContext, relayerId: RelayerId): Promise<PricedPreview> {
  const [work, counts] = await Promise.all([context.reads.work(relayerId), context.reads.counts(relayerId)])
  if (!work) throw relayerNotFound(relayerId)
  const { preview, observation } = await priced(context, work, counts.pending)
  const { relayer } = work
  const window = previewWindow(relayer, context.policyOf(relayer), {
    ...observation,
    window: context.windowOf(relayerId),
    offered: preview.perGas.today,
  })
  return { ...preview, window }
}

/** Of one transaction. Throws TRANSACTION_NOT_FOUND, NODE_UNAVAILABLE. */
export async function previewOneCancellation(
  context: PreviewContext,
  relayerId: RelayerId,
  id: TransactionId,
): Promise<PricedPreview> {
  const [work, transaction] = await Promise.all([
    context.reads.work(relayerId),
    context.reads.transaction(relayerId, id),
  ])
  if (!work || !transaction) throw new RescindError('TRANSACTION_NOT_FOUND', 'Not found')
  const queued = transaction.lifecycle.phase === 'queued' && !transaction.cancellation ? 1 : 0
  return (await priced(context, work, queued, (each) => each.id === id && isTakenByBulk(each))).preview
}

async function priced(
  context: PreviewContext,
  work: Work,
  queued: number,
  covers?: (transaction: Transaction) => boolean,
): Promise<{ readonly preview: PricedPreview; readonly observation: PreviewFacts }> {
  const { relayer } = work
  const observation = await observe(context, work)
  const policy = context.policyOf(relayer)
  const { market, head } = observation
  const balance = countedBalance(work, observation, market, policy) ?? observation.balance
  const { reserveBalance } = policy.profile
  return {
    preview: {
      ...previewOf(work, queued, observation, policy, context.clock.now(), covers),
      balance,
      ...(reserveBalance !== undefined && { gasBudget: minWei(reserveBalance, balance) }),
      reserve: reserveOf(relayer, market, policy),
      block: head.number,
    },
    observation,
  }
}

type PreviewFacts = Observation & Required<Pick<Observation, 'market' | 'balance'>> & { readonly gasLimit: Gas }

async function observe({ chainOf, policyOf }: PreviewContext, { relayer, floor }: Work): Promise<PreviewFacts> {
  const inquiry = {
    live: [],
    inclusionBlocks: [],
    estimates: [],
    market: true,
    delegation: true,
    pendingNonce: true,
  }
  return readNodes(relayer, async () => {
    const { market, balance, ...facts } = await chainOf(relayer).observe({
      ...inquiry,
      address: relayer.address,
      spentBelow: floor.spentBelow,
      nonce: 'now',
      balance: 'now',
    })
    if (!market || balance === undefined) throw new ChainUnavailable('prices or balance could not be read')
    const gasLimit = noOpGasLimit(market, policyOf(relayer).profile)
    if (gasLimit === undefined) throw new ChainUnavailable('the gas of a no-op could not be estimated')
    return { ...facts, market, balance, gasLimit }
  })
}
