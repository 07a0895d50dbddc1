// Explains to people what a cancellation did and will do, for `metadata.logs`.

import { mayBeKnown } from '../../domain/attempt.ts'
import { verdictOn } from '../../domain/cancel.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { BulkCancellation } from '../../store/store.ts'
import { presentTime } from '../response/present-time.ts'

export function explainCancellation(transaction: Transaction): string[] {
  const { cancellation } = transaction
  const recorded = cancellation ? [`cancellation recorded at ${presentTime(cancellation.requestedAt)}`] : []
  return [...recorded, explainVerdict(transaction)]
}

function explainVerdict(transaction: Transaction): string {
  const { lifecycle } = transaction
  const { final, winner, cost } = verdictOn(transaction)
  const certainty = final ? 'this is final' : 'a reorganization of the chain may still reopen the race'
  switch (lifecycle.phase) {
    case 'dropped':
      return 'no node ever had it: it is dropped, costs nothing, and can never be mined; this is final'
    case 'queued':
      return 'it has no nonce now and will not get one: it will be dropped without cost'
    case 'inFlight': {
      const known = lifecycle.attempts.filter(mayBeKnown).length
      return `a node may hold ${known} of its attempts: a no-op is sent for nonce ${lifecycle.nonce}, at rising fees, until something with that nonce is mined; follow it at ${pathOf(transaction)}/cancellation`
    }
    case 'mined':
    case 'final':
      return `nonce ${lifecycle.nonce} was taken by ${winner?.hash} in block ${winner?.block.number}; ${cost === undefined ? 'no node tells what the cancellation cost' : `the cancellation cost ${cost} wei`}; ${certainty}`
  }
}

export function explainBulk({ canceled, failed, racing }: BulkCancellation): string[] {
  const dropped = canceled.length - racing
  return [
    `${canceled.length} pending transactions canceled: ${dropped} dropped before any node had them, at no cost`,
    ...(racing > 0
      ? [`${racing} may be known to a node: a no-op is sent for each nonce, lowest first, until it is mined`]
      : []),
    ...failed.map(({ id, reason }) => `${id} could not be canceled: ${reason}`),
  ]
}

function pathOf({ relayerId, id }: Transaction): string {
  return `/api/v1/relayers/${encodeURIComponent(relayerId)}/transactions/${encodeURIComponent(id)}`
}
