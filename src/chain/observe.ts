// One inquiry, answered as of one head, in as few rounds as the questions allow.

import type { TransactionId } from '../domain/ids.ts'
import type { Estimate, Inquiry, Observation } from '../domain/observation.ts'
import type { Nonce, Wei } from '../domain/units.ts'
import { inWords } from './call.ts'
import { toBigInt, toHex, toNumber } from './decode.ts'
import type { Endpoint } from './endpoint.ts'
import type { Asked, Endpoints } from './endpoints.ts'
import { estimateCall, toEstimate } from './estimate-gas.ts'
import { findInclusions } from './find-inclusions.ts'
import type { ReadCanonical } from './read-canonical.ts'
import type { ReadMarket } from './read-market.ts'
import { nonceCall } from './read-nonce.ts'
import type { HeadTracker, TrackedHead } from './track-head.ts'

export interface Observe {
  readonly endpoints: Endpoints
  readonly heads: HeadTracker
  readonly readCanonical: ReadCanonical
  readonly readMarket: ReadMarket
}

interface Account {
  readonly nonce: Nonce
  readonly pendingNonce?: Nonce
  readonly balance?: Wei
  readonly estimates: ReadonlyMap<TransactionId, Estimate>
}

/** Rejects with ChainUnavailable when no endpoint can tell head and nonce. */
export async function observe(parts: Observe, inquiry: Inquiry): Promise<Observation> {
  const { endpoints, heads, readCanonical, readMarket } = parts
  const at = await heads.current()
  const [{ told: account, by }, market, canonical] = await Promise.all([
    endpoints.firstToTell((endpoint) => readAccount(endpoint, inquiry, at), at.by),
    inquiry.market ? readMarket(at) : undefined,
    readCanonical(inquiry.inclusionBlocks, at),
  ])
  const spent = inquiry.live.filter((live) => live.nonce < account.nonce)
  const inclusions = await findInclusions({ endpoints, readCanonical }, inquiry.address, spent, { ...at, by })
  return { head: at.head, rule: endpoints.rule(), ...account, ...(market && { market }), inclusions, canonical }
}

/** All that is asked of the account, in one batch. Only the nonce is indispensable. */
async function readAccount(endpoint: Endpoint, inquiry: Inquiry, { head }: TrackedHead): Promise<Asked<Account>> {
  const { address, estimates } = inquiry
  const [count, pending, balance, ...gas] = await Promise.all([
    endpoint.call(nonceCall(address, head.number)),
    inquiry.pendingNonce ? endpoint.call(nonceCall(address, 'pending')) : undefined,
    inquiry.balance ? endpoint.call({ method: 'eth_getBalance', params: [address, toHex(head.number)] }) : undefined,
    ...estimates.map((request) => endpoint.call(estimateCall(request))),
  ])
  const nonce = count.kind === 'value' ? toNumber(count.value) : undefined
  if (nonce === undefined) return { failed: inWords(count) }
  const pendingNonce = pending?.kind === 'value' ? toNumber(pending.value) : undefined
  const wei = balance?.kind === 'value' ? toBigInt(balance.value) : undefined
  const estimated = new Map<TransactionId, Estimate>()
  for (const [index, request] of estimates.entries()) {
    const answer = gas[index]
    const estimate = answer && toEstimate(answer)
    if (estimate) estimated.set(request.transactionId, estimate)
  }
  return {
    told: {
      nonce,
      ...(pendingNonce !== undefined && { pendingNonce }),
      ...(wei !== undefined && { balance: wei }),
      estimates: estimated,
    },
  }
}
