// Finds the spender of a nonce when none of our attempts has a receipt: the block in which it was spent holds the
// proof.

import { isAddressEqual, recoverAuthorizationAddress } from 'viem/utils'
import { isSameAccessList } from '../../domain/access-list.ts'
import { attemptWith } from '../../domain/attempt.ts'
import type { Address, Hash } from '../../domain/ids.ts'
import { isLostNoOp } from '../../domain/lost-history/lost-cancellation.ts'
import type { LiveNonce, LostNoOp } from '../../domain/observation.ts'
import type { BlockRef, Execution, Inclusion } from '../../domain/transaction.ts'
import type { BlockNumber, Nonce, TimestampMs } from '../../domain/units.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import { isAnswered } from '../nodes/call.ts'
import { type Mined, toHead, toHex, toMined } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { locateSpending, type Spending } from './locate-spending.ts'
import { rebuild } from './rebuild.ts'
import { executionOf, receiptAwaitedBlocks, toReceipt } from './receipt.ts'

/** Bodies read in one proof. The next blocks' observations continue a longer search. */
const bodiesMax = 32

/**
 * `spentBy` is a block at which the nonce is certainly spent. `searched` holds the lowest block that each search has
 * reached. Undefined when the endpoint has no proof yet. Where it has no receipt of an attempt, the inclusion lacks the
 * facts that only receipts hold.
 */
export async function proveSpender(
  endpoint: Endpoint,
  address: Address,
  live: LiveNonce,
  spentBy: BlockNumber,
  searched: Map<string, BlockNumber>,
  at: TrackedHead,
): Promise<Inclusion | LostNoOp | undefined> {
  const spending = await locateSpending(endpoint, address, live, spentBy)
  if (!spending) return undefined
  const found = await searchBodies(endpoint, address, live.nonce, spending, searched)
  if (!found) return undefined
  const { spender, block, minedAt } = found
  const { hash } = spender
  const own = attemptWith(live.attempts, hash)
  if (own) {
    // Nobody waits for the receipt of a block so deep, and the search took its time: a denial from before it is too old.
    const isDeep = at.head.number - block.number >= receiptAwaitedBlocks
    const execution = isDeep ? await readExecution(endpoint, hash, own, block, at) : undefined
    return { by: 'attempt', hash, kind: own.kind, block, ...execution }
  }
  if (carriesOurs(spender, address, live)) {
    const execution = await readExecution(endpoint, hash, spender.signed ?? {}, block, at)
    return execution && { by: 'unrecorded', hash, block, ...execution }
  }
  const signed = await rebuild(spender, address)
  const noOp = { nonce: spender.nonce, hash, block, minedAt, ...(signed && { signed }) }
  return spender.nonce === live.nonce && isLostNoOp(noOp, address) ? noOp : { by: 'external', hash, block }
}

/** The key of a search in `searched`. */
export function searchOf(address: Address, nonce: Nonce): string {
  return `${address} ${nonce}`
}

/** Downwards, since a nonce without an explanation was mostly spent lately. */
async function searchBodies(
  endpoint: Endpoint,
  address: Address,
  nonce: Nonce,
  { above, atMost }: Spending,
  searched: Map<string, BlockNumber>,
): Promise<{ spender: Mined; block: BlockRef; minedAt: TimestampMs } | undefined> {
  const key = searchOf(address, nonce)
  const from = Math.min(atMost, (searched.get(key) ?? atMost + 1) - 1)
  for (let number = from; number > above && from - number < bodiesMax; number -= 1) {
    const answer = await endpoint.call({ method: 'eth_getBlockByNumber', params: [toHex(number), true] })
    const block = answer.kind === 'value' ? toHead(answer.value) : undefined
    const transactions = answer.kind === 'value' ? toMined(answer.value) : undefined
    if (!block || !transactions) return undefined
    const spender = await spenderOf(transactions, address, nonce)
    if (spender) {
      searched.delete(key)
      return { spender, block: { number, hash: block.hash }, minedAt: block.timestampMs }
    }
    searched.set(key, number)
  }
  // The search ended without a find, since a reorganization moved the transaction. It begins again.
  if ((searched.get(key) ?? 0) <= above + 1) searched.delete(key)
  return undefined
}

/**
 * Whether the receiver, the value, the data and, where the node returns it, the access list are ours. With our
 * signature, such a transaction is an attempt that is not on record, and not a foreign transaction.
 */
function carriesOurs(spender: Mined, address: Address, { nonce, payloads = [] }: LiveNonce): boolean {
  if (spender.nonce !== nonce || !isAddressEqual(spender.from, address)) return false
  return payloads.some(
    ({ to, value, data, accessList }) =>
      spender.to?.toLowerCase() === to?.toLowerCase() &&
      spender.value === value &&
      spender.data === data.toLowerCase() &&
      (!spender.accessList || isSameAccessList(spender.accessList, accessList)),
  )
}

/** Empty where the endpoint has no receipt for that block. Undefined where it did not answer. */
async function readExecution(
  endpoint: Endpoint,
  hash: Hash,
  signed: Parameters<typeof executionOf>[2],
  block: BlockRef,
  at: TrackedHead,
): Promise<Execution | undefined> {
  const answer = await endpoint.call({ method: 'eth_getTransactionReceipt', params: [hash] })
  if (!isAnswered(answer)) return undefined
  const receipt = answer.kind === 'value' ? toReceipt(answer.value) : undefined
  return receipt?.block.hash === block.hash ? executionOf(endpoint, receipt, signed, at) : {}
}

/** The transaction that the account sent, or the one that carried an EIP-7702 authorization of it. */
export async function spenderOf(
  transactions: readonly Mined[],
  address: Address,
  nonce: Nonce,
): Promise<Mined | undefined> {
  const sent = transactions.find((mined) => mined.nonce === nonce && isAddressEqual(mined.from, address))
  if (sent) return sent
  for (const mined of transactions) {
    for (const { r, s, yParity, ...authorization } of mined.authorizations) {
      if (authorization.nonce !== nonce) continue
      const signer = await recoverAuthorizationAddress({ authorization, signature: { r, s, yParity } }).catch(
        () => undefined,
      )
      if (signer && isAddressEqual(signer, address)) return mined
    }
  }
  return undefined
}
