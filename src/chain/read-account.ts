// An account as of one head: its nonce, and what else was asked. Nonce and balance at a block never change, so however
// many steps a relayer takes under one head, they cost one call.
import type { Address, Hash, TransactionId } from '../domain/ids.ts'
import type { Estimate, Inquiry } from '../domain/observation.ts'
import type { BlockNumber, Nonce, Wei } from '../domain/units.ts'
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
  readonly delegated?: boolean
  readonly estimates: ReadonlyMap<TransactionId, Estimate>
}

/** Rejects with ChainUnavailable when no endpoint can tell the nonce; anything else that is not told is missing. */
export type ReadAccount = (inquiry: Inquiry, at: TrackedHead) => Promise<{ told: Account; by: Endpoint }>

interface Known {
  readonly head: Hash
  readonly by: Endpoint
  readonly nonce: Nonce
  readonly balance?: Wei
  readonly code?: Code
}

interface Code {
  readonly delegated: boolean
  readonly readAt: BlockNumber
}

/** EIP-7702: what stands as the code of an account that delegates. */
const delegationPrefix = '0xef0100'
/** An account's delegation hardly ever changes. */
const codeKeptBlocks = 50

/** Accounts remembered at most: more than that many relayers on one network ask anew. */
const accountsMax = 10_000

export function readingAccounts(endpoints: Endpoints): ReadAccount {
  const remembered = new Map<Address, Known>()

  return async (inquiry, at) => {
    const last = remembered.get(inquiry.address)
    const current = last?.head === at.head.hash ? last : undefined
    const code = last?.code && at.head.number - last.code.readAt < codeKeptBlocks ? last.code : undefined
    if (current && isAnswered(inquiry, current)) {
      return { told: { ...factsOf(current), estimates: new Map() }, by: current.by }
    }
    const { told, by } = await endpoints.firstToTell((endpoint) => ask(endpoint, inquiry, at, current, code), at.by)
    if (remembered.size >= accountsMax) remembered.clear()
    remembered.set(inquiry.address, { head: at.head.hash, by, ...told.known })
    return { told: { ...factsOf(told.known), ...told.asked }, by }
  }
}

function factsOf({ nonce, balance, code }: Omit<Known, 'head' | 'by'>): Omit<Account, 'estimates'> {
  return { nonce, ...(balance !== undefined && { balance }), ...(code && { delegated: code.delegated }) }
}

function isAnswered(inquiry: Inquiry, known: Known): boolean {
  const asksMore = inquiry.pendingNonce || inquiry.estimates.length > 0
  return !asksMore && (!inquiry.balance || known.balance !== undefined)
}

interface Told {
  /** What stands for as long as the head does. */
  readonly known: Omit<Known, 'head' | 'by'>
  readonly asked: Pick<Account, 'pendingNonce' | 'estimates'>
}

/** All that is not known yet, in one batch. Only the nonce is indispensable. */
async function ask(
  endpoint: Endpoint,
  { address, estimates, ...asked }: Inquiry,
  { head }: TrackedHead,
  known: Known | undefined,
  code: Code | undefined,
): Promise<Asked<Told>> {
  const at = toHex(head.number)
  const asksBalance = asked.balance && known?.balance === undefined
  const [count, pending, balance, bytes, ...gas] = await Promise.all([
    known ? undefined : endpoint.call(nonceCall(address, head.number)),
    asked.pendingNonce ? endpoint.call(nonceCall(address, 'pending')) : undefined,
    asksBalance ? endpoint.call({ method: 'eth_getBalance', params: [address, at] }) : undefined,
    asked.balance && !code ? endpoint.call({ method: 'eth_getCode', params: [address, at] }) : undefined,
    ...estimates.map((request) => endpoint.call(estimateCall(request))),
  ])
  const nonce = known?.nonce ?? numberIn(count)
  if (nonce === undefined) return { failed: count ? inWords(count) : 'no answer' }
  const pendingNonce = numberIn(pending)
  const wei = balance?.kind === 'value' ? toBigInt(balance.value) : known?.balance
  const read = code ?? codeIn(bytes, head.number)
  return {
    told: {
      known: { nonce, ...(wei !== undefined && { balance: wei }), ...(read && { code: read }) },
      asked: { ...(pendingNonce !== undefined && { pendingNonce }), estimates: estimatesIn(estimates, gas) },
    },
  }
}

function codeIn(answer: Answer | undefined, readAt: BlockNumber): Code | undefined {
  if (answer?.kind !== 'value' || typeof answer.value !== 'string') return undefined
  return { delegated: answer.value.toLowerCase().startsWith(delegationPrefix), readAt }
}

function estimatesIn(requests: Inquiry['estimates'], answers: readonly Answer[]): ReadonlyMap<TransactionId, Estimate> {
  const estimated = new Map<TransactionId, Estimate>()
  for (const [index, request] of requests.entries()) {
    const answer = answers[index]
    const estimate = answer && toEstimate(answer)
    if (estimate) estimated.set(request.transactionId, estimate)
  }
  return estimated
}

function numberIn(answer: Answer | undefined): number | undefined {
  return answer?.kind === 'value' ? toNumber(answer.value) : undefined
}
