// Previews the effect and the cost of a cancel now, of one transaction or of all. It writes nothing and promises nothing: the next block may
// change it. Nobody has to wait for a node to cancel, so without one the preview has no cost.
import { type Chain, ChainUnavailable } from '../../chain/chain.ts'
import { matchInBulk } from '../../domain/bulk/match-in-bulk.ts'
import type { BulkFilter } from '../../domain/bulk-filter.ts'
import type { Work } from '../../domain/decide/plan/work.ts'
import { countedBalance } from '../../domain/decide/rules/gas-reserve.ts'
import { reserveOf } from '../../domain/decide/terms/funds.ts'
import { RescindError, relayerNotFound } from '../../domain/errors.ts'
import type { RelayerId, TransactionId } from '../../domain/ids.ts'
import { noOpGasLimit } from '../../domain/no-op.ts'
import { type Observation, ofNoTransaction } from '../../domain/observation.ts'
import {
  type CancellationPreview,
  type CountedPreview,
  previewCancellation as previewOf,
  previewWithoutNode,
} from '../../domain/preview/preview-cancellation.ts'
import { previewWindow, type WindowPreview } from '../../domain/preview/preview-window.ts'
import type { NetworkPolicy, Relayer } from '../../domain/relayer.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { type BlockNumber, type Gas, minWei, type Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import { late, within } from '../../ops/within.ts'
import type { Reads } from '../../store/store.ts'
import { readNodes } from '../read-nodes.ts'

export interface PreviewContext {
  readonly reads: Reads
  readonly clock: Clock
  readonly chainOf: (relayer: Relayer) => Chain
  readonly policyOf: (relayer: Relayer) => NetworkPolicy
  /** The window of the owner's last step; undefined where another process is the owner. */
  readonly windowOf: (relayer: RelayerId) => number | undefined
}

export interface PricedPreview extends CancellationPreview {
  /** The balance; where payments to the account count later, as it counts now. */
  readonly balance: Wei
  /** The gas of all in flight has to fit in it. Absent: the network has no such rule. */
  readonly gasBudget?: Wei
  /** The balance that sends leave for no-ops. */
  readonly reserve: Wei
  /** The block at which the preview holds. */
  readonly block: BlockNumber
  /** The window, in a preview of everything pending only. */
  readonly window?: WindowPreview
}

/** A preview lacks the members of PricedPreview where no node of the relayer's network answered in time. */
export type Previewed = PricedPreview | CountedPreview

export function isPriced(previewed: Previewed): previewed is PricedPreview {
  return 'cost' in previewed
}

/** Throws RELAYER_NOT_FOUND. */
export async function previewCancellation(context: PreviewContext, relayerId: RelayerId): Promise<Previewed> {
  const canceled = await readCanceled(context, relayerId, {})
  if (!canceled) throw relayerNotFound(relayerId)
  const { work, queued, covers } = canceled
  const observation = await observedInTime(context, work)
  if (!observation) return previewWithoutNode(work, queued, context.clock.now(), covers)
  const preview = priced(context, canceled, observation)
  const { relayer } = work
  const window = previewWindow(relayer, context.policyOf(relayer), {
    ...observation,
    window: context.windowOf(relayerId),
    offered: preview.perGas.today,
  })
  return { ...preview, window }
}

/** The preview for one transaction. Throws TRANSACTION_NOT_FOUND. */
export async function previewOneCancellation(
  context: PreviewContext,
  relayerId: RelayerId,
  id: TransactionId,
): Promise<Previewed> {
  const transaction = await context.reads.transaction(relayerId, id)
  const canceled = transaction && (await readCanceled(context, relayerId, { ids: [transaction.id] }))
  if (!canceled) throw new RescindError('TRANSACTION_NOT_FOUND', 'Not found')
  const observation = await observedInTime(context, canceled.work)
  if (observation) return priced(context, canceled, observation)
  return previewWithoutNode(canceled.work, canceled.queued, context.clock.now(), canceled.covers)
}

/** What a cancellation would take now. */
interface Canceled {
  readonly work: Work
  /** How many without a nonce. */
  readonly queued: number
  readonly covers: (transaction: Transaction) => boolean
}

async function readCanceled(
  { reads, clock }: PreviewContext,
  relayerId: RelayerId,
  filter: BulkFilter,
): Promise<Canceled | undefined> {
  const now = clock.now()
  const found = await reads.bulkMatches(relayerId, { filter, now, oldest: 0 })
  if (!found) return undefined
  const { covers } = matchInBulk(found.work, { filter, pause: false }, { now, tagsOf: found.tagsOf })
  return { work: found.work, queued: found.queued.count, covers }
}

function priced(context: PreviewContext, { work, queued, covers }: Canceled, observation: PreviewFacts): PricedPreview {
  const { relayer } = work
  const policy = context.policyOf(relayer)
  const { market, head } = observation
  const balance = countedBalance(work, observation, market, policy) ?? observation.balance
  const { reserveBalance } = policy.profile
  return {
    ...previewOf(work, queued, observation, policy, context.clock.now(), covers),
    balance,
    ...(reserveBalance !== undefined && { gasBudget: minWei(reserveBalance, balance) }),
    reserve: reserveOf(relayer, market, policy),
    block: head.number,
  }
}

/** A person waits for the preview, and a call to a node may take ten seconds, and as many again for the next endpoint. */
const patienceMs = 5_000

/** Undefined where no node answers in time, or this replica's configuration lacks the network. */
async function observedInTime(context: PreviewContext, work: Work): Promise<PreviewFacts | undefined> {
  try {
    const observed = await within(context.clock, patienceMs, () => observe(context, work))
    return observed === late ? undefined : observed
  } catch (error) {
    if (error instanceof RescindError && error.code === 'NODE_UNAVAILABLE') return undefined
    throw error
  }
}

type PreviewFacts = Observation & Required<Pick<Observation, 'market' | 'balance'>> & { readonly gasLimit: Gas }

async function observe({ chainOf, policyOf }: PreviewContext, { relayer, floor }: Work): Promise<PreviewFacts> {
  return readNodes(relayer, async () => {
    const { market, balance, ...facts } = await chainOf(relayer).observe({
      ...ofNoTransaction,
      ...{ market: true, delegation: true, pendingNonce: true },
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
