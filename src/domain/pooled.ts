// What the pools of a network hold of an account, and what of that this service did not sign.
import type { Hash } from './ids.ts'
import { intervalsBetween, lowestOf, sizeOf } from './nonce-interval.ts'
import type { Nonce } from './units.ts'

/** Nonces of an account that are looked at one by one. A count may be any number. */
export const pooledMax = 64

export interface Pooled {
  /** The account's next nonce at the head. */
  readonly nonce: Nonce
  /** The next one counting the pool. */
  readonly pendingNonce: Nonce
  /** The transactions that a node shows, signed by the account. They may lie above the count, behind a gap. */
  readonly shown: ReadonlyMap<Nonce, Hash>
}

export interface ForeignPending {
  readonly nonce: Nonce
  readonly pendingNonce: Nonce
  /** How many the pools hold. */
  readonly count: number
  /** The lowest of them. The hash is absent where no node shows it. */
  readonly transactions: readonly { readonly nonce: Nonce; readonly hash?: Hash }[]
}

interface OwnNonces {
  /** The nonces of transactions in flight. */
  readonly used: ReadonlySet<Nonce>
  /** Whether the service ever used the nonce, by this hash where a node shows it. */
  readonly isOurs: (nonce: Nonce, hash: Hash | undefined) => Promise<boolean>
}

/** The foreign transactions in the pools. Undefined if there are none. */
export async function foreignIn(
  { nonce, pendingNonce, shown }: Pooled,
  { used, isOurs }: OwnNonces,
): Promise<ForeignPending | undefined> {
  const counted = intervalsBetween(nonce, pendingNonce, used)
  // At a nonce that we hold, a node may show another transaction.
  const seen = [...shown.keys()].filter((each) => each >= nonce).sort((one, other) => one - other)
  const looked = new Set([...lowestOf(counted, pooledMax), ...seen.slice(0, pooledMax)])
  const foreign: { readonly nonce: Nonce; readonly hash?: Hash }[] = []
  let count = sizeOf(counted)
  for (const each of looked) {
    const hash = shown.get(each)
    const isCounted = each < pendingNonce && !used.has(each)
    const isForeign = !(await isOurs(each, hash))
    if (isForeign) foreign.push({ nonce: each, ...(hash !== undefined && { hash }) })
    count += Number(isForeign) - Number(isCounted)
  }
  if (count === 0) return undefined
  const transactions = foreign.sort((one, other) => one.nonce - other.nonce).slice(0, pooledMax)
  return { nonce, pendingNonce, count, transactions }
}
