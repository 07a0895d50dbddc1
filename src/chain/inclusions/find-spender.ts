// Finds the transaction in a block that spent a nonce, and proves it. Its own bytes prove it; nothing else that one
// endpoint says does.
import { isAddressEqual, recoverAuthorizationAddress } from 'viem/utils'
import { attemptWith } from '../../domain/attempt.ts'
import type { Address } from '../../domain/ids.ts'
import type { LiveNonce, MinedPayload } from '../../domain/observation.ts'
import type { BlockNumber, Nonce } from '../../domain/units.ts'
import { type Clock, nextTurn } from '../../ops/clock.ts'
import { valueIn } from '../nodes/ask-about.ts'
import { blockMethod } from '../nodes/block-call.ts'
import type { SoughtInBody } from '../nodes/call.ts'
import type { BlockEntry, Mined } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { type Body, readBody } from '../nodes/read-block.ts'
import { type Corroborate, corroborating } from './corroborate.ts'
import { rebuild } from './rebuild.ts'
import { readReceipt } from './receipt.ts'

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
    // By its hash an entry is ours, whatever it lacks.
    const own = [...sent, ...body.unread].find(({ hash }) => hash && attemptWith(live.attempts, hash))
    if (own?.hash) return { mined: { ...own, hash: own.hash, from: address, nonce: live.nonce } }
    const bySender = await proveSent(endpoint, body, address, sent, corroborate)
    if (bySender) return bySender
    const authorized = await authorizedBy(body.transactions, address, live.nonce, chainId)
    if (authorized) return { mined: authorized }
    return sent.length > 0 ? 'unproven' : undefined
  }
}

/** Reads a body. The account's own deposits from L1 (OP stack) spend a nonce each, which some gateways show only in receipts. */
export async function readSpenders(
  endpoint: Endpoint,
  number: BlockNumber,
  seeks: SoughtInBody,
): Promise<Body | undefined> {
  const body = valueIn(await readBody(endpoint, number, seeks))
  if (!body) return undefined
  const transactions = [...body.transactions]
  const unread: BlockEntry[] = []
  for (const entry of body.unread) {
    const { hash, from } = entry
    const nonce = hash && from && valueIn(await readReceipt(endpoint, hash))?.depositNonce
    if (hash && from && nonce !== undefined) transactions.push({ ...entry, hash, from, nonce })
    else unread.push(entry)
  }
  return { ...body, transactions, unread }
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
    const rebuilt = await rebuild(mined, address).catch(() => ({ kind: 'forged' }) as const)
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
