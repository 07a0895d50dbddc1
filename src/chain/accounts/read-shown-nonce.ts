// Finds the highest nonce of an account for which a pool shows a transaction. The transaction's own bytes prove it: a count
// alone may be false.
import type { Address } from '../../domain/ids.ts'
import type { Nonce } from '../../domain/units.ts'
import { memberOf } from '../../ops/member.ts'
import { rebuild } from '../inclusions/rebuild.ts'
import { type Mined, toHex, toNumber, toTransaction } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { nonceCall } from '../nodes/read-nonce.ts'

/** `none` where no pool shows a transaction that the account signed for this chain. */
export type ReadShownNonce = (address: Address) => Promise<Nonce | 'none'>

export function readingShownNonces(endpoints: Endpoints, chainId: number): ReadShownNonce {
  return async (address) => {
    const fit = endpoints.order().filter((each) => each.fit())
    const shown = await Promise.all(fit.map((each) => shownBy(each, address, chainId)))
    const nonces = shown.filter((nonce) => nonce !== undefined)
    return nonces.length === 0 ? 'none' : Math.max(...nonces)
  }
}

/** The pool's count names the nonce. A false count names one for which the endpoint has no transaction. */
async function shownBy(endpoint: Endpoint, address: Address, chainId: number): Promise<Nonce | undefined> {
  if ((await endpoint.ready()) !== undefined) return undefined
  const counted = await endpoint.call(nonceCall(address, 'pending'))
  const count = counted.kind === 'value' ? toNumber(counted.value) : undefined
  if (!count) return undefined
  const nonce = count - 1
  const transaction = await readAt(endpoint, address, nonce)
  // A legacy transaction without a chain id may be of any chain.
  if (transaction?.nonce !== nonce || transaction.signed?.chainId !== chainId) return undefined
  return (await rebuild(transaction, address)).kind === 'proven' ? nonce : undefined
}

/** reth and anvil have a method for one nonce. geth and others show all that their pool has of the account. */
async function readAt(endpoint: Endpoint, address: Address, nonce: Nonce): Promise<Mined | undefined> {
  const one = { method: 'eth_getTransactionBySenderAndNonce', params: [address, toHex(nonce)] }
  const answer = await endpoint.call(one)
  if (answer.kind === 'value') return toTransaction(answer.value)
  if (answer.kind !== 'rpcError') return undefined
  const all = await endpoint.call({ method: 'txpool_contentFrom', params: [address] })
  if (all.kind !== 'value') return undefined
  return toTransaction(memberOf(memberOf(all.value, 'pending'), String(nonce)))
}
