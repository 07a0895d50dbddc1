// Lists what a step reads from the chain, based on the work and on what the first observation lacked.
import { invalidWordsOf, isNoOp, mayBeKnown, newest, type RejectionCode, rejectionOf } from '../../attempt.ts'
import type { FinalityTag } from '../../finality.ts'
import type { GasFigures } from '../../gas-figures.ts'
import type { TransactionId } from '../../ids.ts'
import { isBelowLeastGas } from '../../intrinsic-gas.ts'
import type { EstimateRequest, Inquiry, LiveNonce } from '../../observation.ts'
import { ethereumProfile } from '../../profile.ts'
import type { DecisionProfile, NetworkPolicy } from '../../relayer.ts'
import { awaitsReplacement, type InPhase, isInPhase, revisionOf, type Transaction } from '../../transaction.ts'
import type { Nonce } from '../../units.ts'
import type { Lacks } from '../plan/lacks.ts'
import { inFlightOf, type Work } from '../plan/work.ts'
import { roomOnArrival, wantsCount } from '../rules/arrival-order.ts'
import { dependsOnDelegation } from '../rules/gas-reserve.ts'
import { isRefused, payloadInUnknownWords, refusedPayloads } from '../rules/give-up.ts'
import { receiverToRead } from '../rules/new-receiver.ts'
import { leastRefusedGas, refusedNoOps } from '../rules/refused-gas.ts'
import { comparedPayload, frontOf, valueToEstimate, wantsFreshBalance } from '../rules/sweeps.ts'
import { roomIn } from '../terms/window.ts'

/** The reads that this step needs, and no others: each answer costs a call. `requested`: facts that it has found to lack so far. */
export function inquire(
  work: Work,
  requested: Lacks,
  profile: DecisionProfile = ethereumProfile,
  figures: GasFigures = {},
): Inquiry {
  const inFlight = inFlightOf(work)
  const mined = minedOf(work)
  const refused = [...refusedPayloads(inFlight), ...refusedNoOps(inFlight)]
  const refusedGas = leastRefusedGas(inFlight)
  const needsGas = (one: InPhase<'inFlight'>) =>
    awaitsReplacement(one) || isBelowLeastGas(one, rules) || (requested.has('bareGas') && isRefused(one))
  const unknownWords = payloadInUnknownWords(inFlight)
  const front = nextInQueue(work)
  const binds = front.length > 0
  const sends = sendsBeside(work)
  // Any queued transaction may be the next that the balance covers.
  const most = work.relayer.policies.skipUnfunded
    ? work.queued.length
    : roomIn(work, roomOnArrival(work, { nonce: work.counted ?? 0 }, profile))
  const rules = { ...profile, figures }
  const isBalanceInDoubt = work.isBalanceInDoubt || requested.has('balance')
  const receivers = front.slice(0, most).flatMap(({ payload }) => receiverToRead(payload, rules))
  // Receipts of this observation may make room for more.
  const mostGas = Math.max(0, ...front.map(({ payload }) => payload.gasLimit ?? 0))
  const { explainedBelow } = work.floor
  const spentBelow = Math.max(
    work.floor.spentBelow,
    (work.confirmedNotFinal?.nonce ?? -1) + 1,
    ...mined.map(({ lifecycle }) => lifecycle.nonce + 1),
  )
  return {
    address: work.relayer.address,
    // A node that contradicts the remembered nonce has seen a foreign transaction.
    nonce:
      work.lostHistory?.seen || wasRejected(inFlight, 'nonceTooLow', 'nonceGap') || wantsCount(inFlight, { profile })
        ? 'now'
        : 'recent',
    spentBelow,
    ...(explainedBelow > spentBelow && { explainedBelow }),
    live: inFlight.map(liveNonceOf),
    ...(sends && { sends }),
    inclusionBlocks: [
      ...new Set([
        ...mined.map(({ lifecycle }) => lifecycle.inclusion.block.number),
        ...(work.confirmedNotFinal ? [work.confirmedNotFinal.newest.number] : []),
      ]),
    ],
    estimates: [...inFlight.filter((one) => !one.cancellation && needsGas(one)), ...frontOf(work).slice(0, most)]
      // Where the price depends on the data, the node estimates both.
      .filter(({ payload }) => payload.gasLimit === undefined || profile.priceSource === 'linea_estimate_gas')
      .map(estimateOf),
    ...(mostGas > 0 && { mostGas }),
    ...(receivers.length > 0 && { receivers }),
    market: inFlight.length > 0 || work.queued.length > 0,
    ...(inFlight.some(hasInvalidNoOp) && { isNoOpTooTight: true }),
    ...(refused.length > 0 && { refused }),
    ...(refusedGas !== undefined && { refusedGas }),
    ...(unknownWords && { unknownWords }),
    // Even without room: this step may find some, if the chain took a transaction in flight.
    ...((binds || sends || requested.has('balance')) && {
      balance:
        sends || isBalanceInDoubt || wasRejected(inFlight, 'insufficientFunds') || wantsFreshBalance(front)
          ? 'now'
          : 'recent',
    }),
    // The one that is in flight alone is not limited by it, but the next one is, and shall not wait for it.
    delegation: binds || (requested.has('balance') && dependsOnDelegation(profile)),
    pendingNonce: requested.has('pendingNonce'),
    ...(requested.has('secondCount') && { secondCount: true }),
  }
}

/** In the count's own batch one or two receipts prove the nonces of so few. */
const provenByReceipts = 2

/**
 * Whether receipts are read beside the next sends. The balance is then read with the count, as nothing else shows what spent nonces cost.
 * Also while earlier sends are under way: their answers decide when the next go out.
 */
function sendsBeside(work: Work): boolean {
  return inFlightOf(work).length > provenByReceipts && !work.lostHistory && nextInQueue(work).length > 0
}

/** What a look asks about, of each transaction: the revision of its payload, and its nonce. */
export type Covered = ReadonlyMap<TransactionId, { readonly revision: number; readonly nonce: Nonce | undefined }>

/** What a look by these rows covers. */
export function coveredBy(work: Work): Covered {
  const covered = new Map<TransactionId, { revision: number; nonce: Nonce | undefined }>()
  const add = (each: Transaction) =>
    covered.set(each.id, {
      revision: revisionOf(each),
      nonce: isInPhase(each, 'inFlight') ? each.lifecycle.nonce : undefined,
    })
  work.open.forEach(add)
  if (!work.lostHistory) nextInQueue(work).forEach(add)
  return covered
}

/** The front of the queue, also while it waits for answers or signatures: once they have come, it goes on by this look. */
function nextInQueue(work: Work): readonly Transaction[] {
  if (work.lostHistory) return frontOf(work)
  const { underWay: _, signing: __, ...free } = work
  return frontOf(free)
}

// Each is made once: a row never changes, and every step reads those of all in flight.
const liveNonces = new WeakMap<Transaction, LiveNonce>()

function liveNonceOf(transaction: InPhase<'inFlight'>): LiveNonce {
  const known = liveNonces.get(transaction)
  if (known) return known
  const { lifecycle, payload, earlier = [] } = transaction
  const [first] = lifecycle.attempts
  const made = {
    nonce: lifecycle.nonce,
    payloads: [...earlier, payload].map((each) => comparedPayload(transaction, each)),
    unspentAt: { block: first.recordedAtBlock, ms: first.recordedAt },
    attempts: lifecycle.attempts.filter(mayBeKnown),
  }
  liveNonces.set(transaction, made)
  return made
}

function estimateOf(transaction: Transaction): EstimateRequest {
  const { from, to, data, accessList } = transaction.payload
  return {
    transactionId: transaction.id,
    from,
    ...(to !== undefined && { to }),
    value: valueToEstimate(transaction),
    data,
    ...(accessList && { accessList }),
  }
}

/** The tag that this step reads: none where blocks are counted, or before a transaction waits for finality. */
export function tagToRead(
  work: Work,
  lostHistory: Inquiry['lostHistory'],
  { finality }: Pick<NetworkPolicy, 'finality'>,
): FinalityTag | undefined {
  if (typeof finality === 'number') return undefined
  return lostHistory || awaitsFinality(work) ? finality : undefined
}

/** Whether a transaction is confirmed, and not final. */
export function awaitsFinality(work: Work): boolean {
  return (
    work.confirmedNotFinal !== undefined || minedOf(work).some(({ lifecycle }) => lifecycle.confirmedAt !== undefined)
  )
}

/** Whether every node that answers refuses the newest no-op as invalid, in whatever words. A gap filler is a no-op, too. */
function hasInvalidNoOp({ origin, lifecycle }: InPhase<'inFlight'>): boolean {
  const latest = newest(lifecycle.attempts)
  return (isNoOp(latest) || origin === 'gap') && invalidWordsOf(latest) !== undefined
}

function minedOf(work: Work): readonly InPhase<'mined'>[] {
  return work.open.filter((transaction) => isInPhase(transaction, 'mined'))
}

function wasRejected(inFlight: readonly InPhase<'inFlight'>[], ...codes: readonly RejectionCode[]): boolean {
  const rejections = inFlight.map(({ lifecycle }) => rejectionOf(newest(lifecycle.attempts))?.code)
  return rejections.some((code) => code !== undefined && codes.includes(code))
}
