// The proof that a nonce went to a transaction that is not ours: the block in which it was spent, and what spent it.
import { isAddressEqual, recoverAuthorizationAddress } from 'viem/utils'
import type { Address } from '../domain/ids.ts'
import type { LiveNonce } from '../domain/observation.ts'
import type { Inclusion } from '../domain/transaction.ts'
import type { BlockNumber, Nonce } from '../domain/units.ts'
import { type Mined, toHead, toHex, toMined } from './decode.ts'
import type { Endpoint } from './endpoint.ts'
import { readNonce } from './read-nonce.ts'

/**
 * `spentBy` is a block at which the nonce is known to be spent. Undefined when the endpoint can't tell, or when the
 * transaction is one of ours: then its receipt is still to come.
 */
export async function proveStranger(
  endpoint: Endpoint,
  address: Address,
  { nonce, attempts }: LiveNonce,
  spentBy: BlockNumber,
): Promise<Extract<Inclusion, { by: 'external' }> | undefined> {
  const number = await blockThatSpent(endpoint, address, nonce, spentBy)
  if (number === undefined) return undefined
  const answer = await endpoint.call({ method: 'eth_getBlockByNumber', params: [toHex(number), true] })
  const block = answer.kind === 'value' ? toHead(answer.value) : undefined
  const transactions = answer.kind === 'value' ? toMined(answer.value) : undefined
  if (!block || !transactions) return undefined
  const taker = await takerOf(transactions, address, nonce)
  if (!taker || attempts.some((attempt) => attempt.hash === taker.hash)) return undefined
  return { by: 'external', hash: taker.hash, block: { number, hash: block.hash } }
}

/** The first block after which the account's nonce is above `nonce`: strides back from `spentBy`, then halves. */
async function blockThatSpent(
  endpoint: Endpoint,
  address: Address,
  nonce: Nonce,
  spentBy: BlockNumber,
): Promise<BlockNumber | undefined> {
  let spent = spentBy
  let unspent = -1
  for (let stride = 1; spent > 0; stride *= 2) {
    const number = Math.max(0, spentBy - stride)
    const count = await readNonce(endpoint, address, number)
    if (count === undefined) return undefined
    if (count <= nonce) {
      unspent = number
      break
    }
    spent = number
  }
  while (spent - unspent > 1) {
    const middle = (spent + unspent) >> 1
    const count = await readNonce(endpoint, address, middle)
    if (count === undefined) return undefined
    if (count > nonce) spent = middle
    else unspent = middle
  }
  return spent
}

/** The transaction that the account sent, or the one that carried an EIP-7702 authorization of it. */
async function takerOf(transactions: readonly Mined[], address: Address, nonce: Nonce): Promise<Mined | undefined> {
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
