// The verdict on a cancellation: its exit code, and its lines for people.
import {
  ApiError,
  type CancellationView,
  type Client,
  type ListedTraceView,
  type TransactionView,
} from '../client/client.ts'
import { verdictWords } from '../words/verdict.ts'
import { CommandError, type Exit, exits } from './exits.ts'
import { type Cell, ether, statusColor } from './format.ts'
import type { Color } from './terminal.ts'

/** The verdict on the transaction; undefined if nobody canceled it. */
export async function verdictOn(client: Client, relayer: string, id: string): Promise<CancellationView | undefined> {
  try {
    return await client.cancellation(relayer, id)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'CANCELLATION_NOT_FOUND') return undefined
    throw error
  }
}

/** 0 only if the payload can never execute. */
export function exitOf({ state, final }: CancellationView): Exit {
  if (!final) return exits.undecided
  return state === 'lost' || state === 'external' ? exits.lost : exits.done
}

export function explain(verdict: CancellationView): string {
  const { state, winner } = verdict
  const [, , sentence] = verdictWords(verdict)
  return `${state}: ${sentence}${winner ? ` (${winner.hash} in block ${winner.block_number})` : ''}`
}

/** The word for a transaction in a list: its verdict if it is canceled, green only once that is final; else its status. */
export function stateOf({ transaction: { status }, cancellation }: ListedTraceView): {
  readonly word: string
  readonly color: Color | undefined
} {
  if (!cancellation) return { word: status, color: statusColor(status) }
  const [, word] = verdictWords(cancellation)
  return { word, color: colors[exitOf(cancellation)] }
}

const colors: Readonly<Record<number, Color>> = {
  [exits.undecided]: 'yellow',
  [exits.lost]: 'red',
  [exits.done]: 'green',
}

export function verdictPairs(verdict: CancellationView): readonly (readonly [string, Cell])[] {
  const { state, final, safe_to_retry: isSafe, winner, cost, cost_max: costMax } = verdict
  return [
    ['verdict', `${state}, ${final ? 'final' : 'not final'}`],
    ['safe to retry', isSafe ? 'yes' : 'no'],
    ['winner', winner && `${winner.hash} in block ${winner.block_number}`],
    ['cost', cost === undefined ? undefined : ether(cost)],
    ['cost at most', costMax === undefined ? undefined : `${ether(costMax)}, its share of a max_cost`],
  ]
}

/** The exit code of a transaction that has ended; throws for one that did not execute as it was sent. */
export function exitOfEnd(transaction: TransactionView, verdict: CancellationView | undefined): Exit {
  if (verdict) {
    const exit = exitOf(verdict)
    if (exit === exits.done) return exit
    throw new CommandError(exit, explain(verdict))
  }
  const { status } = transaction
  if (status === 'failed') throw new CommandError(exits.error, 'the transaction was mined and reverted')
  if (status === 'confirmed') return exits.done
  throw new CommandError(exits.undecided, 'the transaction is mined, and no node reports whether it succeeded')
}

/** Whether nothing can change any more, but for a reorganization deeper than the required confirmations. */
export function hasEnded(transaction: TransactionView, verdict: CancellationView | undefined): boolean {
  if (verdict) return verdict.final
  const { status, confirmed_at: confirmedAt } = transaction
  return status === 'confirmed' || status === 'failed' || (status === 'mined' && confirmedAt !== undefined)
}
