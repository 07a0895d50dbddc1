// Finds the transaction in a block that spent a nonce, and proves it. Its own bytes prove it; nothing else that one
// endpoint says does.
import { isAddressEqual, recoverAuthorizationAddress } from 'viem/utils'
import { attemptWith } from '../../domain/attempt.ts'
import type { Address } from '../../domain/ids.ts'
import type { LiveNonce, MinedPayload } from '../../domain/observation.ts'
import type { Nonce } from '../../domain/units.ts'
import { type Clock, nextTurn } from '../../ops/clock.ts'
import { blockMethod } from '../nodes/block-call.ts'
import type { Mined } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import type { Body } from '../nodes/read-block.ts'
import { type Corroborate, corroborating } from './corroborate.ts'
import { rebuild } from './rebuild.ts'

export interface FoundSpender {
  readonly mined: Mined
  /** Absent if the spender is of a kind that we never sign. */
  readonly signed?: MinedPayload
}

/**
 * Undefined where the block does not hold the spender. `unproven`: the block shows one that its bytes do not prove, and nothing
 * else proves it yet. `live.attempts` are on record, so their hashes need no proof that we signed them.
 */
export type FindSpender = (
  endpoint: Endpoint,
  body: Body,
  address: Address,
  live: Pick<LiveNonce, 'nonce' | 'attempts'>,
) => Promise<FoundSpender | 'unproven' | undefined>

interface FindingSpenders {
  readonly endpoints: Endpoints
  readonly clock: Clock
  readonly chainId: number
}

export function findingSpenders({ endpoints, clock, chainId }: FindingSpenders): FindSpender {
  const corroborate = corroborating(endpoints, clock)
  return async (endpoint, body, address, live) => {
    const sent = body.transactions.filter(({ nonce, from }) => nonce === live.nonce && isAddressEqual(from, address))
    const own = sent.find(({ hash }) => attemptWith(live.attempts, hash))
    if (own) return { mined: own }
    const bySender = await proveSent(endpoint, body, address, sent, corroborate)
    if (bySender) return bySender
    const authorized = await authorizedBy(body.transactions, address, live.nonce, chainId)
    if (authorized) return { mined: authorized }
    return sent.length > 0 ? 'unproven' : undefined
  }
}

/** Undefined where none of the transactions is proven. */
async function proveSent(
  endpoint: Endpoint,
  { head }: Body,
  address: Address,
  sent: readonly Mined[],
  corroborate: Corroborate,
): Promise<FoundSpender | undefined> {
  const unknown: Mined[] = []
  for (const mined of sent) {
    const rebuilt = await rebuild(mined, address)
    if (rebuilt.kind === 'proven') return { mined, ...(rebuilt.payload && { signed: rebuilt.payload }) }
    if (rebuilt.kind === 'unknown') unknown.push(mined)
    else endpoint.strayed(blockMethod)
  }
  for (const mined of unknown) {
    if (await corroborate(endpoint, { mined, block: { number: head.number, hash: head.hash } })) return { mined }
  }
  return undefined
}

/** The transaction that carried an authorization of the account (EIP-7702), which its own signature proves. */
async function authorizedBy(
  transactions: readonly Mined[],
  address: Address,
  nonce: Nonce,
  chainId: number,
): Promise<Mined | undefined> {
  for (const mined of transactions) {
    for (const { r, s, yParity, ...authorization } of mined.authorizations) {
      if (authorization.nonce !== nonce || ![0, chainId].includes(authorization.chainId)) continue
      // A block may hold thousands with this nonce, and each recovery takes a millisecond.
      await nextTurn()
      const signer = await recoverAuthorizationAddress({ authorization, signature: { r, s, yParity } }).catch(
        () => undefined,
      )
      if (signer && isAddressEqual(signer, address)) return mined
    }
  }
  return undefined
}
