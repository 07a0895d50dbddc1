// Reads an account's balance and whether it delegates. One call covers many accounts: a read of one account includes
// others that lack the same facts, so that they need no call of their own.
import type { Address } from '../../domain/ids.ts'
import type { Moment } from '../../domain/patience.ts'
import type { BlockNumber, Wei } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import type { HeadTracker } from '../heads/track-head.ts'
import { placeOf } from '../nodes/block-call.ts'
import type { Answer, Call } from '../nodes/call.ts'
import { toBigInt, toHex } from '../nodes/decode.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import { type AccountMemory, usableBalance, usableCode } from './account-memory.ts'
import { type BalanceAndCode, balancesAndCodesIn, jointCall, jointMax } from './joint-call.ts'

export interface Lacking {
  readonly balance: boolean
  readonly code: boolean
}

/**
 * Puts the result of a joint call into the memory, or returns the result of calls for this account alone. `lacking`
 * returns the facts that are still missing. A fact that no node returned is absent.
 */
export type ReadBalanceAndCode = (
  endpoint: Endpoint,
  address: Address,
  block: BlockNumber,
  lacking: () => Lacking,
) => Promise<Partial<BalanceAndCode>>

/** EIP-7702: how the code of a delegating account begins. */
const delegationPrefix = '0xef0100'
/** A gateway may refuse a joint call for a passing reason, so it gets one again after this time. */
const refusalHoldsMs = 300_000
/** Unanswered joint calls in a row after which each account is read alone. */
const silencesMax = 2

interface Joint {
  readonly covers: ReadonlySet<Address>
  readonly came: Promise<Came>
}

type Came = 'answered' | 'refused' | 'silent'

export function readingBalancesAndCodes(memory: AccountMemory, heads: HeadTracker, clock: Clock): ReadBalanceAndCode {
  const joints = new Map<Endpoint, readonly Joint[]>()
  const aloneUntil = new Map<Endpoint, number>()
  const silences = new Map<Endpoint, number>()

  function readAlone(endpoint: Endpoint): void {
    aloneUntil.set(endpoint, clock.elapsed() + refusalHoldsMs)
  }

  /** Undefined where a joint call saves nothing. */
  function together(endpoint: Endpoint, address: Address, block: BlockNumber, lacking: Lacking): Joint | undefined {
    if (clock.elapsed() < (aloneUntil.get(endpoint) ?? Number.NEGATIVE_INFINITY)) return undefined
    const underWay = joints.get(endpoint) ?? []
    const covering = underWay.find(({ covers }) => covers.has(address))
    if (covering) return covering
    // Others join at the newest head only: an older balance would hide the payments that they have seen since.
    const others = block === heads.height() ? neighboursLacking(memory, { block, ms: clock.now() }) : []
    const isFree = (other: Address) => other !== address && !underWay.some(({ covers }) => covers.has(other))
    const addresses = [address, ...others.filter(isFree).slice(0, jointMax - 1)]
    if (addresses.length === 1 && !(lacking.balance && lacking.code)) return undefined
    const came = readTogether(endpoint, addresses, block).finally(() => {
      joints.set(endpoint, joints.get(endpoint)?.filter((each) => each !== joint) ?? [])
    })
    const joint = { covers: new Set(addresses), came }
    joints.set(endpoint, [...underWay, joint])
    return joint
  }

  async function readTogether(endpoint: Endpoint, addresses: readonly Address[], block: BlockNumber): Promise<Came> {
    const before = addresses.map(memory.recall)
    const reorgs = heads.reorgs()
    const readAt = { block, ms: clock.now() }
    const answer = await endpoint.call(jointCall(addresses, block))
    const found = balancesAndCodesIn(answer, addresses)
    if (!found) {
      if (answer.kind === 'value' || answer.kind === 'rpcError') return 'refused'
      const inRow = (silences.get(endpoint) ?? 0) + 1
      silences.set(endpoint, inRow)
      if (inRow >= silencesMax) readAlone(endpoint)
      return 'silent'
    }
    silences.delete(endpoint)
    for (const [index, address] of addresses.entries()) {
      const standing = found[index]
      const last = memory.recall(address)
      // A read of the account since then is newer.
      if (!standing || last !== before[index]) continue
      const balance = { wei: standing.balance, readAt, chargedBelow: 0, spentBelow: 0, reorgs }
      memory.keep(address, {
        shared: false,
        ...last,
        balance,
        code: { delegated: standing.delegated, readAt },
      })
    }
    return 'answered'
  }

  return async (endpoint, address, block, lacking) => {
    const came = await together(endpoint, address, block, lacking())?.came
    // The endpoint gave no answer at all, so the caller turns to the next endpoint at once.
    if (came === 'silent' && !endpoint.fit()) return {}
    // The joint call of another account may have read an unsuitable block.
    const standing = await alone(endpoint, address, block, lacking())
    // A node that lacks the block refuses either way, so only an answer here proves that it refuses joint calls.
    if (came === 'refused' && (standing.balance ?? standing.delegated) !== undefined) readAlone(endpoint)
    return standing
  }
}

/** The accounts that lack a balance, then those that lack the code. */
export function neighboursLacking(memory: AccountMemory, now: Moment): readonly Address[] {
  const unread: Address[] = []
  const unsure: Address[] = []
  for (const [address, remembered] of memory.all()) {
    if (usableBalance('recent', remembered, now) === undefined) unread.push(address)
    else if (!usableCode(remembered, now)) unsure.push(address)
  }
  return [...unread, ...unsure]
}

async function alone(
  endpoint: Endpoint,
  address: Address,
  block: BlockNumber,
  lacking: Lacking,
): Promise<Partial<BalanceAndCode>> {
  const [wei, code] = await Promise.all([
    lacking.balance ? endpoint.call(balanceCall(address, block)) : undefined,
    lacking.code ? endpoint.call({ method: 'eth_getCode', params: [address, toHex(block)] }) : undefined,
  ])
  const balance = wei && balanceIn(wei)
  const delegated = code && delegationIn(code)
  return { ...(balance !== undefined && { balance }), ...(delegated !== undefined && { delegated }) }
}

export function balanceCall(address: Address, block: BlockNumber | 'latest'): Call {
  return { method: 'eth_getBalance', params: [address, placeOf(block)] }
}

export function balanceIn(answer: Answer): Wei | undefined {
  return answer.kind === 'value' ? toBigInt(answer.value) : undefined
}

function delegationIn(answer: Answer): boolean | undefined {
  if (answer.kind !== 'value' || typeof answer.value !== 'string') return undefined
  return answer.value.toLowerCase().startsWith(delegationPrefix)
}
