// Facts that a step may lack at first, each a read of its own. The engine requests those that it has not requested yet, and decides anew.
// A fact that was requested and did not come is no reason to request it again.

/**
 * - `pendingNonce`: a free nonce lies below one in flight. The pool shows whether a foreign transaction waits for it.
 * - `balance`: the remembered balance does not suffice, or a transaction in flight gets a new price.
 * - `gapRecord`: gaps have to be filled, or a nonce lies far above the record. The record has earlier gap fillers and permits.
 * - `secondCount`: nonces that the record never assigned have to be filled, or bound. Another endpoint counts the account's nonces.
 * - `bareGas`: every endpoint refused a gas limit that the service chose. The estimate says whether a lower one suffices.
 */
export type Fact = 'pendingNonce' | 'balance' | 'gapRecord' | 'secondCount' | 'bareGas'

export type Lacks = ReadonlySet<Fact>

export const lacksNothing: Lacks = new Set()

/** A step of one transaction that needs a fact first. */
export interface Lack {
  readonly lacks: Fact
}

export function lacking(fact: Fact | undefined): Lacks {
  return fact === undefined ? lacksNothing : new Set([fact])
}
