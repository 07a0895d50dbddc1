// Explains to people what a cancellation did and will do, for `metadata.logs`.

import { type PoolContext, poolOfRace } from '../../commands/transactions/pool-of.ts'
import { invalidReasonOf, isNonceSpent, isNoOp, mayBeKnown, wasAlwaysRejected } from '../../domain/attempt.ts'
import type { TakenInBulk } from '../../domain/bulk-cancellation.ts'
import { verdictOn } from '../../domain/cancel.ts'
import type { PoolKind } from '../../domain/profile.ts'
import { inEther } from '../../domain/shown-amount.ts'
import type { InPhase, Transaction } from '../../domain/transaction.ts'
import { racingBehind } from '../../domain/wait.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { found } from '../response/found.ts'
import { counted, presentTime } from '../response/present-values.ts'
import { cancellationSchema, presentCancellation } from './present-cancellation.ts'

export function explainCancellation(transaction: Transaction, pool: PoolKind): string[] {
  const { cancellation } = transaction
  const recorded = cancellation ? [`cancellation recorded at ${presentTime(cancellation.requestedAt)}`] : []
  return [...recorded, explainVerdict(transaction, pool)]
}

function explainVerdict(transaction: Transaction, pool: PoolKind): string {
  const { lifecycle } = transaction
  const { final, winner, cost } = verdictOn(transaction)
  const certainty = final ? 'this is final' : 'a reorganization of the chain may still reopen the race'
  switch (lifecycle.phase) {
    case 'dropped':
      return 'no node ever had it: it is dropped, costs nothing, and can never be mined; this is final'
    case 'held':
    case 'queued':
      return 'it has no nonce now and will not get one: it will be dropped without cost'
    case 'inFlight':
      return `${explainRace({ ...transaction, lifecycle }, pool)}; follow it at ${pathOf(transaction)}/cancellation`
    case 'mined':
    case 'final':
      return `nonce ${lifecycle.nonce} was taken by ${winner?.hash} in block ${winner?.block.number}; ${cost === undefined ? 'no node tells what the cancellation cost' : `the cancellation cost ${inEther(cost)}`}; ${certainty}`
  }
}

function explainRace({ lifecycle: { nonce, attempts } }: InPhase<'inFlight'>, pool: PoolKind): string {
  const known = attempts.filter(mayBeKnown)
  const race = `a node may hold ${known.length} of its attempts: a no-op is sent for nonce ${nonce}, at rising fees, until something with that nonce is mined`
  if (pool === 'public') return race
  if (pool === 'private') {
    return `${race}; the pool is the sequencer's own, so the no-op can only replace the transaction in the moment before it is ordered`
  }
  const first = 'this chain is first come, first served'
  if (known.some((attempt) => isNonceSpent(attempt) && !isNoOp(attempt))) {
    return `${first}, and the sequencer says that the nonce is spent: nothing replaces the transaction, and no no-op is paid; the block that shows it ends the cancellation`
  }
  if (known.every((attempt) => wasAlwaysRejected(attempt) && invalidReasonOf(attempt) === undefined))
    return `${first}, and the sequencer rejected the transaction: it is dropped, at no cost`
  return `${first}, and no answer shows whether the sequencer has ordered the transaction: one no-op is sent for nonce ${nonce} until something with that nonce is mined; whichever came first is mined, and no price changes that`
}

export function explainBulk({ canceled, failed, racing }: TakenInBulk, pool: PoolKind): string[] {
  const dropped = canceled.length - racing
  return [
    `${counted(canceled.length, 'pending transaction', 'pending transactions')} canceled: ${counted(dropped, 'dropped before any node had it', 'dropped before any node had them')}, at no cost`,
    ...(racing > 0 ? [`${racing} may be known to a node: ${means[pool]}`] : []),
    ...failed.map(({ id, reason }) => `${id} could not be canceled: ${reason}`),
  ]
}

const means: Readonly<Record<PoolKind, string>> = {
  public: 'a no-op is sent for each nonce, lowest first, until it is mined',
  private:
    "a no-op is sent for each nonce, lowest first, until it is mined; the pool is the sequencer's own, so a no-op can only replace a transaction in the moment before it is ordered",
  fcfs: 'this chain is first come, first served: one no-op is sent for each nonce, where no answer shows that the sequencer has ordered the transaction; what it has ordered ends as lost, and costs nothing more',
}

function pathOf({ relayerId, id }: Transaction): string {
  return `/api/v1/relayers/${encodeURIComponent(relayerId)}/transactions/${encodeURIComponent(id)}`
}

export function getCancellation(context: PoolContext & { readonly reads: Reads }) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND', 'CANCELLATION_NOT_FOUND'],
    operationId: 'getCancellation',
    summary: 'Get the verdict on a canceled transaction',
    params: transactionParameters,
    response: answers(cancellationSchema),
    async answer({ params }) {
      const read = await context.reads.transaction(params.relayer_id, params.transaction_id)
      const transaction = found(read, 'TRANSACTION_NOT_FOUND', 'Not found')
      const intent = found(transaction.cancellation, 'CANCELLATION_NOT_FOUND', 'this transaction was not canceled')
      const pool = await poolOfRace(context, transaction)
      const waitsForNothing = transaction.lifecycle.phase === 'inFlight' && !transaction.wait
      const { bound } = waitsForNothing ? await context.reads.standing(params.relayer_id) : { bound: [] }
      const verdict = presentCancellation(racingBehind(transaction, bound), intent)
      return success(verdict, explainCancellation(transaction, pool))
    },
  })
}
