// The session over one executor: each method's query stands in the file of its verb.
import { cancelPending } from './cancel-pending.ts'
import { claim } from './claim.ts'
import { lockTransaction } from './find-transaction.ts'
import { acquireRelayer, fenceRelayer, findRelayer, nextInOrder, raiseFloor, saveRelayer } from './relayers.ts'
import { insertTransaction, saveTransaction } from './save-transaction.ts'
import type { Executor } from './statement.ts'
import type { Session } from './store.ts'
import { countPending, type Tallies } from './tallies.ts'

export function sessionOver(executor: Executor, tallies: Tallies): Session {
  return {
    relayer: (id) => findRelayer(executor, id),
    saveRelayer: (relayer) => saveRelayer(executor, relayer),
    nextInOrder: (id) => nextInOrder(executor, id),
    pending: (id) => countPending(executor, tallies, id),
    transaction: (relayerId, id) => lockTransaction(executor, relayerId, id),
    insertTransaction: (transaction) => insertTransaction(executor, tallies, transaction),
    claim: (claimed, ids, now) => claim(executor, claimed, ids, now),
    saveTransaction: (before, after, now) => saveTransaction(executor, tallies, before, after, now),
    cancelPending: (relayerId, origin, now) => cancelPending(executor, tallies, relayerId, origin, now),
    acquire: (id) => acquireRelayer(executor, id),
    fence: (id, epoch) => fenceRelayer(executor, id, epoch),
    raiseFloor: (id, floor) => raiseFloor(executor, id, floor),
  }
}
