// An account as of one head: its nonce, and what else was asked. Nonce and balance at a block never change, so however
// many steps a relayer takes under one head, they cost one call.
import type { Address, Hash, TransactionId } from '../domain/ids.ts'
import type { Estimate, Inquiry } from '../domain/observation.ts'
import type { Nonce, Wei } from '../domain/units.ts'
import { type Answer, inWords } from './call.ts'
import { toBigInt, toHex, toNumber } from './decode.ts'
import type { Endpoint } from './endpoint.ts'
import type { Asked, Endpoints } from './endpoints.ts'
import { estimateCall, toEstimate } from './estimate-gas.ts'
import { nonceCall } from './read-nonce.ts'
import type { TrackedHead } from './track-head.ts'

export interface Account {
  readonly nonce: Nonce
  readonly pendingNonce?: Nonce
  readonly balance?: Wei
  readonly estimates: ReadonlyMap<TransactionId, Estimate>
}

/** Rejects with ChainUnavailable when no endpoint can tell the nonce; anything else that is not told is missing. */
export type ReadAccount = (inquiry: Inquiry, at: TrackedHead) => Promise<{ told: Account; by: Endpoint }>

interface Known {
  readonly head: Hash
  readonly by: Endpoint
  readonly nonce: Nonce
  readonly balance?: Wei
}

/** Accounts remembered at most: more than that many relayers on one network ask anew. */
const accountsMax = 10_000

export function readingAccounts(endpoints: Endpoints): ReadAccount {
  const remembered = new Map<Address, Known>()

  return async (inquiry, at) => {
    const known = remembered.get(inquiry.address)
    const current = known?.head === at.head.hash ? known : undefined
    if (current && isAnswered(inquiry, current)) {
      return { told: { nonce: current.nonce, ...balanceOf(current), estimates: new Map() }, by: current.by }
    }
    const { told, by } = await endpoints.firstToTell((endpoint) => ask(endpoint, inquiry, at, current), at.by)
    if (remembered.size >= accountsMax) remembered.clear()
    const balance = told.balance === undefined ? balanceOf(current) : { balance: told.balance }
    remembered.set(inquiry.address, { head: at.head.hash, by, nonce: told.nonce, ...balance })
    return { told, by }
  }
}

function isAnswered(inquiry: Inquiry, known: Known): boolean {
  const asksMore = inquiry.pendingNonce || inquiry.estimates.length > 0
  return !asksMore && (!inquiry.balance || known.balance !== undefined)
}

function balanceOf(known: Known | undefined): { balance?: Wei } {
  return known?.balance === undefined ? {} : { balance: known.balance }
}

/** All that is not known yet, in one batch. Only the nonce is indispensable. */
async function ask(
  endpoint: Endpoint,
  { address, estimates, ...asked }: Inquiry,
  { head }: TrackedHead,
  known: Known | undefined,
): Promise<Asked<Account>> {
  const asksBalance = asked.balance && known?.balance === undefined
  const [count, pending, balance, ...gas] = await Promise.all([
    known ? undefined : endpoint.call(nonceCall(address, head.number)),
    asked.pendingNonce ? endpoint.call(nonceCall(address, 'pending')) : undefined,
    asksBalance ? endpoint.call({ method: 'eth_getBalance', params: [address, toHex(head.number)] }) : undefined,
    ...estimates.map((request) => endpoint.call(estimateCall(request))),
  ])
  const nonce = known?.nonce ?? numberIn(count)
  if (nonce === undefined) return { failed: count ? inWords(count) : 'no answer' }
  const pendingNonce = numberIn(pending)
  const wei = balance?.kind === 'value' ? toBigInt(balance.value) : known?.balance
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

function numberIn(answer: Answer | undefined): number | undefined {
  return answer?.kind === 'value' ? toNumber(answer.value) : undefined
}
